/**
 * The two dump tools: Kafka's own, call after call in one JVM, and ours, in
 * this process with either backend.
 */
import type { BackendName } from '../../../../lib/backend/contract.js'
import { plog } from '../../../support/cli.js'
import { JavaProcess } from '../../support/java-process.js'

/** What a call printed and exited with. Kafka's stderr is without stack traces. */
export interface Dump {
  readonly stdout: Buffer
  readonly stderr: string
  readonly exitCode: number | null
}

/** Both run in directories of their own, so paths must be absolute. */
export class KafkaDump {
  readonly #java = new JavaProcess('dump.DumpMain')

  async dump(args: readonly string[]): Promise<Dump> {
    const { stdout, stderr, exitCode } = await this.#java.ask<{
      stdout: string
      stderr: string
      exitCode: number
    }>({ args })
    return {
      stdout: Buffer.from(stdout, 'base64'),
      stderr: Buffer.from(stderr, 'base64').toString(),
      exitCode,
    }
  }

  /** Writes a `.log` of random records of each type and version; gives their count. */
  async writeRecords(path: string, topic: 'GROUP' | 'TRANSACTION', seed: number): Promise<number> {
    const { records } = await this.#java.ask<{ records: number }>({ write: path, topic, seed })
    return records
  }

  close(): Promise<void> {
    return this.#java.close()
  }
}

export const BACKENDS: readonly BackendName[] = ['native', 'portable']

export function ourDump(args: readonly string[], backend: BackendName): Promise<Dump> {
  return plog(['dump', '--backend', backend, ...args])
}
