/**
 * The files of a log that is open, as far as they are meant to be equal.
 *
 * Two things of the active segment are not, and only where they can come from
 * what was done to it: behind the entries of an index that a truncation has
 * cut, Kafka leaves the old entries until it trims the file, and ours are
 * zeros; and an empty segment that is rolled has a new preallocated file in
 * Kafka, where ours goes on with the one it has.
 */
import { OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES } from '../../../lib/segment/index-plan.js'
import { fileName, SEGMENT_FILE_KINDS } from '../../../lib/segment/names.js'
import { comparedTree, type Tree } from './compare-trees.js'
import { LOG_NAME, type LogState, type Outcome, type SegmentState } from './contender.js'
import type { Operation } from './operation.js'

export class OpenFiles {
  /** Base offsets of segments that a truncation has cut. */
  readonly #cut = new Set<string>()
  /** Base offsets of empty segments that were rolled. */
  readonly #renewed = new Set<string>()

  note({ op }: Operation, before: LogState, { state, rolls = [] }: Outcome): void {
    if (op === 'truncate') this.#cut.add(activeOf(state).baseOffset)
    if (rolls.length > 0 && activeOf(before).sizeInBytes === 0 && holds(state, activeOf(before).baseOffset))
      this.#renewed.add(activeOf(before).baseOffset)
  }

  /**
   * Without the deleted files of segments that were renewed: those that Kafka put away can still wait for their time, and
   * take files of the same name with them that were deleted since.
   */
  butRenewed(names: readonly string[]): readonly string[] {
    const segments = [...this.#renewed].flatMap((baseOffset) =>
      SEGMENT_FILE_KINDS.map((kind) => `${LOG_NAME}/${fileName(BigInt(baseOffset), kind)}.deleted`),
    )
    return names.filter((name) => !segments.includes(name))
  }

  /** With the checkpoints: whoever asks has let the time of all of them come. */
  tree(directory: string, state: LogState): Tree {
    const inLog = Object.entries(comparedTree(directory))
    const used = this.#usedBytes(activeOf(state))
    return Object.fromEntries(inLog.map(([path, hex]) => [path, used[path]?.(hex) ?? hex]))
  }

  #usedBytes(active: SegmentState): Readonly<Record<string, (hex: string) => string>> {
    const path = (kind: 'log' | 'index' | 'timeindex') =>
      `${LOG_NAME}/${fileName(BigInt(active.baseOffset), kind)}`
    const zeroedBehind = (bytes: number) => (hex: string) => hex.slice(0, bytes * 2).padEnd(hex.length, '0')
    return {
      ...(this.#cut.has(active.baseOffset) && {
        [path('index')]: zeroedBehind(active.offsetIndexEntries * OFFSET_ENTRY_BYTES),
        [path('timeindex')]: zeroedBehind(active.timeIndexEntries * TIME_ENTRY_BYTES),
      }),
      ...(this.#renewed.has(active.baseOffset) && {
        [path('log')]: (hex: string) => hex.slice(0, active.sizeInBytes * 2),
      }),
    }
  }
}

function activeOf(state: LogState): SegmentState {
  return state.segments.at(-1) as SegmentState
}

function holds({ segments }: LogState, wanted: string): boolean {
  return segments.some(({ baseOffset }) => baseOffset === wanted)
}
