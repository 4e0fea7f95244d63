/**
 * The two dump tools: Kafka's own, call after call in one JVM, and ours, in
 * this process with either backend.
 */
import type { BackendName } from '../../../../lib/backend/contract.js'
import { plog } from '../../../support/cli.js'
import { JavaProcess } from '../../support/java-process.js'
import { differences } from './compare.js'
import type { Dump } from './dump.js'

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

/** One file by both tools at once, ours with each backend; gives what differs, with the call in front. */
export async function differencesOf(
  kafka: KafkaDump,
  path: string,
  flags: readonly string[] = [],
): Promise<string[]> {
  const args = ['--files', path, ...flags]
  const [theirs, ...ours] = await Promise.all([
    kafka.dump(args),
    ...BACKENDS.map((backend) => ourDump(args, backend)),
  ])
  const found = ours.flatMap((dump, index) =>
    differences(path, theirs, dump).map((difference) => `${BACKENDS[index]}: ${difference}`),
  )
  return found.length === 0 ? [] : [args.join(' '), ...found]
}
