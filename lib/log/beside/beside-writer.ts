/**
 * A log that is only read, beside whoever writes it: when its files are looked
 * at again, and whether files that were opened by name are those that were
 * looked at. One look at a time; who asks while one is under way gets the next.
 */

import { PartitionLogError } from '../../errors.js'
import type { Segment } from '../../segment/segment.js'
import type { CheckpointedOffsets } from '../checkpointed-offsets.js'
import { closed } from '../condition-errors.js'
import type { LogCore } from '../log-core.js'
import { activeSegment } from '../log-state.js'
import { keepingProcess } from '../turns.js'
import type { Beside } from './beside.js'
import { ATTEMPTS_BESIDE_WRITER, isPassing } from './load-read-only.js'
import { areSameFiles, look } from './look.js'
import type { SeenFiles } from './seen-files.js'

/** How long a swap or roll of the writer's is waited for, and how often it is looked at. */
const PATIENCE_MS = 2_000
const PATIENT_LOOK_MS = 20

export class BesideWriter implements Beside {
  readonly #core: LogCore
  readonly #readCheckpoints: () => Promise<CheckpointedOffsets>
  #seen: SeenFiles
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #failingSinceMs: number | undefined
  /** Which opening of a segment's files is known to be of those that were looked at. */
  readonly #trusted = new WeakMap<Segment, number>()

  constructor(core: LogCore, seen: SeenFiles, readCheckpoints: () => Promise<CheckpointedOffsets>) {
    this.#core = core
    this.#seen = seen
    this.#readCheckpoints = readCheckpoints
  }

  /** A look that begins after this call is in the log's state on return. */
  look(): Promise<void> {
    if (this.#running === undefined) return this.#begin()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  async settle(): Promise<void> {
    const { clock } = this.#core.env
    for (let waitedMs = 0; ; waitedMs += PATIENT_LOOK_MS) {
      try {
        return await this.look()
      } catch (error) {
        if (!isPassing(error) || waitedMs >= PATIENCE_MS) throw error
      }
      await keepingProcess(clock, this.#pause(PATIENT_LOOK_MS))
    }
  }

  async lookAfter(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { state } = this.#core
    await this.#pause(delayMs)
    if (this.#core.state !== state || this.#core.condition !== 'open' || signal?.aborted === true) return
    try {
      await this.look()
      this.#failingSinceMs = undefined
    } catch (error) {
      const nowMs = this.#core.env.clock.elapsedMs()
      this.#failingSinceMs ??= nowMs
      // A swap can have been left by a writer that died, and is finished by its next start.
      const isSwap = error instanceof PartitionLogError && error.code === 'ERR_UNCLEAN'
      if (!isSwap && (!isPassing(error) || nowMs - this.#failingSinceMs >= PATIENCE_MS)) throw error
    }
  }

  async confirms(segment: Segment, openings: number): Promise<boolean> {
    const { generation } = this.#core.state
    const opened = segment.openings
    if (openings === opened && this.#trusted.get(segment) === opened) return true
    const areSame = await this.#areSameFiles()
    if (!areSame) await this.settle()
    if (this.#core.state.generation !== generation) return false
    this.#trusted.set(segment, opened)
    return this.#core.state.segments.includes(segment)
  }

  /** A reader that has its bytes is not to see more of the log than before. */
  async #areSameFiles(): Promise<boolean> {
    try {
      return await this.#core.during(() => areSameFiles(this.#core.env, this.#seen))
    } catch (error) {
      if (isPassing(error)) return false
      throw error
    }
  }

  #begin(): Promise<void> {
    if (this.#core.isClosing) return Promise.reject(closed(this.#core.env.name))
    const running = this.#core.during(() => this.#lookUntilSteady())
    this.#running = running
    const ended = () => {
      if (this.#running === running) this.#running = undefined
    }
    running.then(ended, ended)
    return running
  }

  async #lookUntilSteady(): Promise<void> {
    for (let left = ATTEMPTS_BESIDE_WRITER; left > 0; left--) {
      this.#core.assertUsable()
      const { producers, state } = this.#core
      // A look that failed half way has brought the producers to an end that is in no state.
      const anew = left === 1 || producers.table.mapEndOffset !== state.logEndOffset
      const checkpoints = await this.#readCheckpoints()
      const looked = await look(this.#core, this.#seen, { checkpoints, anew })
      if (looked === 'unsteady') continue
      this.#seen = looked
      this.#trusted.set(activeSegment(this.#core.state), looked.openings)
      return
    }
  }

  async #pause(delayMs: number): Promise<void> {
    const { clock } = this.#core.env
    let cancel = () => {}
    const passed = new Promise<void>((resolve) => {
      cancel = clock.after(delayMs, resolve)
    })
    await Promise.race([passed, this.#core.changed()])
    cancel()
  }
}
