/**
 * What a cleaner's thread looks at between chunks, in memory that it shares
 * with the thread that started it: whether to stop, and how fast it may go.
 */

import { PartitionLogError } from '../errors.js'

/** Of one cleaning. */
export class AbortFlag {
  readonly memory: Int32Array

  constructor(memory: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {
    this.memory = memory
  }

  get isSet(): boolean {
    return Atomics.load(this.memory, 0) !== 0
  }

  /** Wakes a thread that waits too. */
  set(): void {
    Atomics.store(this.memory, 0, 1)
    Atomics.notify(this.memory, 0)
  }

  /** Throws what ends a cleaning that is not wanted any more. */
  check(): void {
    if (this.isSet) throw new CleaningAborted()
  }

  /** Blocks this thread, until the flag is set at most. */
  wait(ms: number): void {
    Atomics.wait(this.memory, 0, 0, ms)
  }
}

/** The log was truncated, closed, deleted or is not to be compacted any more: nothing is wrong, and nothing more is swapped in. */
export class CleaningAborted extends PartitionLogError {
  constructor() {
    super('ERR_CLOSED', 'the cleaning was aborted: its log was truncated, closed, deleted or changed')
  }
}

/** Longest single wait; then the clock is looked at again. */
const LONGEST_WAIT_MS = 10_000

/**
 * Bytes a second that all threads of a cleaner read and write together
 * (`log.cleaner.io.max.bytes.per.second`). Whoever moves bytes waits until
 * those before have had their time.
 */
export class IoThrottle {
  readonly memory: BigInt64Array
  readonly #bytesPerSecond: number
  readonly #nowMicros: () => bigint

  constructor(
    bytesPerSecond: number,
    nowMicros: () => bigint,
    memory: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(8)),
  ) {
    this.#bytesPerSecond = bytesPerSecond
    this.#nowMicros = nowMicros
    this.memory = memory
  }

  /** Blocks this thread as long as it has to; `flag` cuts that short. */
  take(bytes: number, flag: AbortFlag): void {
    if (!Number.isFinite(this.#bytesPerSecond) || bytes === 0) return
    const now = this.#nowMicros()
    const free = this.#reserve(BigInt(Math.ceil((bytes / this.#bytesPerSecond) * 1e6)), now)
    for (let at = now; at < free && !flag.isSet; at = this.#nowMicros())
      flag.wait(Math.min(Number(free - at) / 1_000, LONGEST_WAIT_MS))
  }

  /** When everything that was reserved before will have had its time, with this. */
  #reserve(micros: bigint, now: bigint): bigint {
    for (;;) {
      const before = Atomics.load(this.memory, 0)
      const after = (before > now ? before : now) + micros
      if (Atomics.compareExchange(this.memory, 0, before, after) === before) return after
    }
  }
}
