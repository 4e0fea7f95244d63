/** `plog` as a test runs it: within this process, or as the real command. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { runPlog } from '../../lib/cli/program.js'

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

const backend = process.env.PARTITION_LOG_BACKEND

/** The compiled command. */
export const plogBin = join(resolve(import.meta.dirname, '../..'), 'dist/cli/main.js')

/** Runs `plog` in this process, `input` on its stdin. */
export function plog(
  args: readonly string[],
  input: string | Buffer | readonly Buffer[] = '',
): Promise<CliResult> {
  return beginPlog(args, input).result
}

/** The same for a command that goes on until `interrupt` is called, as a signal would. */
export function beginPlog(args: readonly string[], input: string | Buffer | readonly Buffer[] = '') {
  const stdout = new Collector()
  const stderr = new Collector()
  let interrupt: () => void = () => undefined
  const result = run(args, input, stdout, stderr, (handler) => {
    interrupt = handler
  })
  return { stdout, stderr, result, interrupt: () => interrupt() }
}

async function run(
  args: readonly string[],
  input: string | Buffer | readonly Buffer[],
  stdout: Collector,
  stderr: Collector,
  onInterrupt: (handler: () => void) => void,
): Promise<CliResult> {
  const chunks = typeof input === 'string' ? [Buffer.from(input)] : Buffer.isBuffer(input) ? [input] : input
  const exitCode = await runPlog(args, {
    stdin: Readable.from(
      chunks.filter(({ length }) => length > 0),
      { objectMode: false },
    ),
    stdinBytes: undefined,
    stdout,
    stderr,
    env: {},
    onInterrupt(handler) {
      onInterrupt(handler)
      return () => undefined
    },
  })
  return { exitCode, stdout: stdout.bytes, stderr: stderr.bytes.toString() }
}

/** Lines of stdout, parsed. */
export function jsonLines({ stdout }: CliResult): Record<string, unknown>[] {
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Starts the real command; `stdin` stays open for the caller to end. */
export function startPlog(args: readonly string[]) {
  const child = spawn(process.execPath, [plogBin, ...args], {
    env: { ...process.env, PARTITION_LOG_BACKEND: backend },
  })
  const stdout = new Collector()
  const stderr = new Collector()
  child.stdout.pipe(new PassThrough()).pipe(stdout)
  child.stderr.pipe(stderr)
  const result = new Promise<CliResult>((done, fail) => {
    child.once('error', fail)
    child.once('close', (exitCode) =>
      done({ exitCode, stdout: stdout.bytes, stderr: stderr.bytes.toString() }),
    )
  })
  return { child, stdout, stderr, result }
}

/** Takes what is written, and tells when a text has come. */
export class Collector extends Writable {
  #chunks: Buffer[] = []
  #waiting: (() => void)[] = []

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Resolves once `text` is among what was written. */
  async until(text: string): Promise<void> {
    while (!this.bytes.includes(text)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk))
    for (const wake of this.#waiting.splice(0)) wake()
    done()
  }
}
