/**
 * The backend of a run without what makes many tests slow and none better: no
 * fsync reaches the disk, since no power fails here, and the threads of lanes
 * are used again. All else is the real thing.
 */
import { access } from 'node:fs/promises'
import type { Backend, Lane } from '../../lib/backend/contract.js'
import { toIoError } from '../../lib/backend/node-error.js'
import { ClosedError } from '../../lib/errors.js'
import { backendUnderTest } from './backend.js'

/** Idle lanes keep no process alive. */
const idleLanes: Lane[] = []

export function swiftBackend(real: Backend = backendUnderTest()): Backend {
  return {
    name: real.name,
    crc32c: real.crc32c.bind(real),
    records: real.records,
    openLogFile: real.openLogFile.bind(real),
    openIndexFile: real.openIndexFile.bind(real),
    lockDirectory: real.lockDirectory.bind(real),
    openLane: () => new SwiftLane(idleLanes.pop() ?? real.openLane()),
  }
}

class SwiftLane implements Lane {
  readonly #lane: Lane
  readonly #works = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(lane: Lane) {
    this.#lane = lane
  }

  /** Waits its turn on the thread, and touches no file. */
  flush(): Promise<void> {
    return this.#working(() => this.#lane.flush([]))
  }

  flushPath(path: string): Promise<void> {
    return this.#working(async () => {
      await Promise.all([
        this.#lane.flush([]),
        access(path).catch((error) => Promise.reject(toIoError(error, path))),
      ])
    })
  }

  /** None: whether one is there in time differs from run to run. */
  async makeSpare(): Promise<undefined> {}

  look(...args: Parameters<Lane['look']>): ReturnType<Lane['look']> {
    return this.#working(() => this.#lane.look(...args))
  }

  slice(...args: Parameters<Lane['slice']>): ReturnType<Lane['slice']> {
    return this.#working(() => this.#lane.slice(...args))
  }

  read(...args: Parameters<Lane['read']>): ReturnType<Lane['read']> {
    return this.#working(() => this.#lane.read(...args))
  }

  scan(...args: Parameters<Lane['scan']>): ReturnType<Lane['scan']> {
    return this.#working(() => this.#lane.scan(...args))
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#works).then(() => void idleLanes.push(this.#lane))
    return this.#closing
  }

  async #working<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new ClosedError('ERR_CLOSED', 'the lane is closed')
    const running = work()
    this.#works.add(running)
    try {
      return await running
    } finally {
      this.#works.delete(running)
    }
  }
}

/** `real` with nothing in the page cache: every read goes by a lane, where a test can hold it. */
export function coldBackend(real: Backend = swiftBackend()): Backend {
  return {
    name: real.name,
    crc32c: real.crc32c.bind(real),
    records: real.records,
    openIndexFile: real.openIndexFile.bind(real),
    lockDirectory: real.lockDirectory.bind(real),
    openLane: real.openLane.bind(real),
    openLogFile(path, options) {
      const file = real.openLogFile(path, options)
      file.sliceIfCached = () => undefined
      file.readIfCached = () => undefined
      file.findTimeIfCached = () => undefined
      return file
    },
  }
}
