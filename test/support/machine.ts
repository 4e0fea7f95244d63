/**
 * A machine for `openLogOn` whose time and randomness a test controls: the
 * clock stands until it is moved, timers fire when it passes them, and the
 * same seed draws the same numbers.
 */
import type { Backend } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import type { Clock } from '../../lib/base/clock.js'
import type { Entropy } from '../../lib/base/entropy.js'
import type { Machine } from '../../lib/manager/machine.js'
import type { OpenSegments } from '../../lib/segment/open-segments.js'
import { backendUnderTest } from './backend.js'

/** 2026-01-01, when nothing says otherwise. */
export const START_MS = 1_767_225_600_000

export class TestClock implements Clock {
  #nowMs: number
  #timers: { dueMs: number; run: () => void }[] = []

  constructor(nowMs = START_MS) {
    this.#nowMs = nowMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  elapsedMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  soon(run: () => void): void {
    setImmediate(run)
  }

  /** Moves time on and runs the timers that come due, in the order of their times. */
  advance(ms: number): void {
    this.#nowMs += ms
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { run } of due.sort((a, b) => a.dueMs - b.dueMs)) run()
  }
}

/** The same numbers for the same seed (mulberry32). */
export function seededEntropy(seed: number): Entropy {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    below: (limit) => next() % limit,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => next() & 0xff)),
  }
}

export interface TestMachine extends Machine {
  readonly clock: TestClock
  readonly backend: Backend
}

export interface TestMachineOptions {
  readonly nowMs?: number
  readonly seed?: number
  /** Default: the backend that the run is for. */
  readonly backend?: Backend
  /** Default: the bound of the process. */
  readonly openSegments?: OpenSegments
}

export function testMachine(options: TestMachineOptions = {}): TestMachine {
  const { nowMs, seed = 1, backend, openSegments } = options
  return {
    clock: new TestClock(nowMs),
    entropy: seededEntropy(seed),
    files: nodeFiles,
    backend: backend ?? backendUnderTest(),
    ...(openSegments === undefined ? {} : { openSegments }),
  }
}
