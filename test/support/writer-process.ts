/**
 * A log that is written in a process of its own: each command is carried out
 * there, one after the other, and answered when it is done.
 */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { type Child, startChild } from './child.js'

const indexUrl = pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'dist/index.js')).href

export class WriterProcess {
  readonly #child: Child

  private constructor(child: Child) {
    this.#child = child
  }

  /** With the backend of this run; the log is open on return. */
  static async start(path: string, config: LogConfigInput = {}): Promise<WriterProcess> {
    const child = startChild(`
      import { createInterface } from 'node:readline'
      import { openLog } from ${JSON.stringify(indexUrl)}
      const log = await openLog(${JSON.stringify(path)}, {
        config: ${JSON.stringify(config)},
        backend: backend.name,
      })
      const records = (count, from) =>
        Array.from({ length: count }, (_, n) => ({ key: 'k' + (from + n), value: 'v' + (from + n), timestamp: 1000 + from + n }))
      const commands = {
        append: ({ count, from }) => { log.append(records(count, from)) },
        many: ({ count, from }) => { for (let n = 0; n < count; n++) log.append(records(1, from + n)) },
        transaction: ({ id, count, from, commit }) => {
          const producer = log.producer({ id })
          producer.begin()
          producer.append(records(count, from))
          if (commit === null) return
          if (commit) producer.commit()
          else producer.abort()
        },
        end: ({ id, commit }) => {
          const [open] = log.openTransactions().filter(({ producerId }) => producerId === BigInt(id))
          log.endTransaction({ producerId: open.producerId, producerEpoch: open.producerEpoch, commit, coordinatorEpoch: 0 })
        },
        roll: () => { log.roll() },
        retain: () => log.runRetention(),
        deleteBefore: ({ offset }) => log.deleteRecordsBefore(BigInt(offset)),
        truncate: ({ offset }) => log.truncateTo(BigInt(offset)),
        flush: () => log.flush(),
        close: () => log.close(),
      }
      say('open')
      for await (const line of createInterface({ input: process.stdin })) {
        const { command, ...options } = JSON.parse(line)
        try {
          await commands[command](options)
          say('done')
        } catch (error) {
          say(String(error.stack))
        }
      }`)
    const writer = new WriterProcess(child)
    await writer.#answer('open')
    return writer
  }

  /** Throws what the command threw, as text. */
  async run(command: string, options: object = {}): Promise<void> {
    this.#child.process.stdin?.write(`${JSON.stringify({ command, ...options })}\n`)
    await this.#answer('done')
  }

  async kill(): Promise<void> {
    this.#child.process.kill('SIGKILL')
    await this.#child.exited
  }

  /** A clean close, and the process has ended. */
  async close(): Promise<void> {
    await this.run('close')
    this.#child.process.stdin?.end()
    await this.#child.exited
  }

  async #answer(expected: string): Promise<void> {
    const line = await this.#child.nextLine()
    if (line !== expected) throw new Error(`the writer says: ${line}`)
  }
}
