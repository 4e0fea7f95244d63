/**
 * One contender's process, and what it says: a line of JSON each for `ready`,
 * for every round, and at the end. A `fault` or an early exit is an error with
 * the last words of its standard error; `absent` says that it cannot take part.
 * Always true: `killAll` leaves no process that was started here.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const LAST_WORDS = 3_000
const living = new Set()

/** The contender cannot take part on this machine, which is nobody's fault. */
export class Absent extends Error {}

export function killAll() {
  for (const child of living) child.kill('SIGKILL')
}

export class WorkerProcess {
  #child
  #lines
  #errors = ''
  #exit
  #timeoutMs

  constructor({ command, args, env = {}, timeoutMs = 1_800_000 }) {
    this.#timeoutMs = timeoutMs
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    living.add(this.#child)
    this.#child.stdin.on('error', () => {}) // that it is gone is told by its exit
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-LAST_WORDS)
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#exit = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
      this.#child.on('error', (error) => resolve(error.message))
    }).finally(() => living.delete(this.#child))
  }

  /** Resolves when it has set up and warmed up. */
  async ready() {
    await this.#answer()
  }

  /** One round's sample. */
  async round() {
    this.#child.stdin.write('round\n')
    return this.#answer()
  }

  /** Lets it close what it has: `{ peakKib }`. */
  async end() {
    this.#child.stdin.end()
    const last = await this.#answer()
    await this.#exit
    return last
  }

  async kill() {
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  async #answer() {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), this.#timeoutMs)
    try {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error(`${await this.#exit}\n${this.#errors}`)
      const answer = JSON.parse(value)
      if (answer.absent !== undefined) throw new Absent(answer.absent)
      if (answer.fault !== undefined) throw new Error(answer.fault)
      return answer
    } finally {
      clearTimeout(timer)
    }
  }
}
