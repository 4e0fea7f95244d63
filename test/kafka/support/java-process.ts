/**
 * A Java program of test/kafka that answers requests, one line of JSON each,
 * in the order in which they were asked. It is started once, ended with its
 * input, and killed by its own id if it does not end or does not answer.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { witnessClassPath } from '../../../scripts/lib/kafka-witness.mjs'

/** Quick to start rather than fast in the long run. */
const JVM_OPTIONS = ['-Xmx768m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dfile.encoding=UTF-8']
const ANSWER_WITHIN_MS = 60_000
const END_WITHIN_MS = 30_000
const STDERR_KEPT = 16_384

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

export class JavaProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  readonly #waiting: Waiting[] = []
  #stderr = ''
  #unended = ''
  /** Why there are no more answers. */
  #ended: string | undefined

  /** `mainClass` without the packages that all have in common: `driver.DriverMain`. */
  constructor(mainClass: string, args: readonly string[] = []) {
    const command = [...JVM_OPTIONS, '-cp', witnessClassPath, `partitionlog.kafka.${mainClass}`, ...args]
    this.#child = spawn('java', command, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    this.#child.stderr?.on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT)
    })
    this.#child.stdin?.on('error', () => undefined) // the exit tells more
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#received(text))
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#failAll(error.message, resolve))
      this.#child.once('close', (code, signal) => this.#failAll(`it ended with ${signal ?? code}`, resolve))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The answer; fails with Java's stack trace, when none comes in time, or when the process has ended. */
  ask<Answer>(request: object, withinMs = ANSWER_WITHIN_MS): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#failure(this.#ended))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#tooLate(request, withinMs), withinMs)
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject, timer })
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`)
    })
  }

  /** Ends its input, and kills it if it is still there after a while. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS)
    this.#child.stdin?.end()
    await this.#exited
    clearTimeout(timer)
  }

  /** Node's readline would end a line at U+2028 too, which JSON may hold. */
  #received(text: string): void {
    const lines = (this.#unended + text).split('\n')
    this.#unended = lines.pop() ?? ''
    for (const line of lines) this.#answered(line)
  }

  #answered(line: string): void {
    const waiting = this.#waiting.shift()
    clearTimeout(waiting?.timer)
    const { answer, fault } = JSON.parse(line) as { answer?: unknown; fault?: string }
    if (fault === undefined) waiting?.resolve(answer)
    else waiting?.reject(new Error(fault))
  }

  #tooLate(request: object, withinMs: number): void {
    this.#failAll(`no answer within ${withinMs} ms to ${JSON.stringify(request).slice(0, 500)}`)
    this.#child.kill('SIGKILL')
  }

  #failAll(why: string, done?: () => void): void {
    this.#ended ??= why
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      reject(this.#failure(why))
    }
    done?.()
  }

  #failure(why: string): Error {
    return new Error(`the Java process: ${why}\n${this.#stderr}`)
  }
}
