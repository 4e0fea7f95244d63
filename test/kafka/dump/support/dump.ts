/** What a call printed and exited with. Kafka's stderr is without stack traces. */
export interface Dump {
  readonly stdout: Buffer
  readonly stderr: string
  readonly exitCode: number | null
}
