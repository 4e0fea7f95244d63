/**
 * Putting cleaned segments in the place of those that they were made from.
 * Follows Kafka's LocalLog.replaceSegments; safe to stop after every step:
 *
 * 1. `.cleaned` -> `.swap`, from the highest base offset down; the directory
 *    is flushed behind each. From here on a start finishes the swap, before it takes it back.
 * 2. In one turn the new segments take the old ones' place for readers.
 * 3. The old files -> `.deleted`.
 * 4. `.swap` -> their own names, from the lowest base offset up; the directory
 *    is flushed behind each.
 */

import { join } from 'node:path'
import { IoError } from '../../errors.js'
import { fileName, SEGMENT_FILE_KINDS, type Transition } from '../../segment/names.js'
import { Segment } from '../../segment/segment.js'
import type { AbortedTransaction } from '../../segment/transaction-index.js'
import { briefText, deleteSegments } from '../deletion.js'
import type { LogCore } from '../log-core.js'
import { asLogError } from '../log-error.js'
import { bytesOf } from '../retention-plan.js'

/** A segment whose files lie there as `.cleaned`, on disk. */
export interface FinishedSegment {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  readonly modifiedMs: number
  readonly aborted: readonly AbortedTransaction[]
}

export interface Swap {
  /** Whose work it is, for texts: `Cleaner 0`. */
  readonly by: string
  /** Segments of the log, one after the other without a gap. */
  readonly inputs: readonly Segment[]
  /** By rising base offset, within what the inputs span; never empty. */
  readonly outputs: readonly FinishedSegment[]
}

/**
 * Durable on return. False, and nothing has changed, where the log has changed
 * since the inputs were read. A failure takes the log offline: its next start
 * finishes the swap or takes it back.
 */
export async function swapIn(core: LogCore, swap: Swap): Promise<boolean> {
  // Whoever else is renaming may be taking an input away.
  await core.renamings.ended()
  if (!isPossible(core, swap)) return false
  // From this turn on nobody takes a segment out before it has ended.
  await core.renamings.during(async () => {
    try {
      await swapDurably(core, swap)
    } catch (error) {
      core.goOffline(asLogError(error))
      throw error
    }
  })
  return true
}

function isPossible(core: LogCore, { inputs }: Swap): boolean {
  if (core.condition !== 'open' || core.isClosing || core.isTruncating || core.cleaning.isAborted)
    return false
  const { segments } = core.state
  const from = segments.indexOf(inputs[0] as Segment)
  // The active one is never an input.
  return (
    from >= 0 &&
    from + inputs.length < segments.length &&
    inputs.every((one, n) => segments[from + n] === one)
  )
}

async function swapDurably(core: LogCore, { by, inputs, outputs }: Swap): Promise<void> {
  const { directory, flushLane } = core.env
  for (const { baseOffset } of [...outputs].reverse()) {
    await renameFiles(core, baseOffset, 'cleaned', 'swap')
    // Each before the next: a start takes a `.swap` below every `.cleaned` for one of a set that is whole.
    await flushLane.flushPath(directory)
  }
  const fresh = outputs.map((output) => existingSegment(core, output, 'swap'))
  const releases: (() => void)[] = []
  try {
    // Open until they bear their names: nobody could open them by another one meanwhile.
    for (const segment of fresh) releases.push(segment.hold())
    publish(core, inputs, fresh, outputs)
    core.info(
      {
        inputs: inputs.map(({ baseOffset }) => baseOffset),
        outputs: outputs.map(({ baseOffset }) => baseOffset),
      },
      `${by}: Swapping in cleaned segment(s) [${fresh.map(briefText).join(', ')}] for segment(s) [${inputs.map(briefText).join(', ')}] in log ${core.env.name}`,
    )
    const replaced = new Set(outputs.map(({ baseOffset }) => baseOffset))
    await deleteSegments(core, inputs, { keepSnapshotsOf: replaced })
    for (const segment of fresh) {
      await renameFiles(core, segment.baseOffset, 'swap', undefined)
      segment.moved(core.segmentOptions(segment.baseOffset).place)
      // Each before the next: a start takes whatever lies between two `.swap` for what they replace.
      await flushLane.flushPath(directory)
    }
  } finally {
    for (const release of releases) release()
  }
}

/** One synchronous step: readers that have begun see that the log is another, and look again. */
function publish(
  core: LogCore,
  inputs: readonly Segment[],
  fresh: readonly Segment[],
  outputs: readonly FinishedSegment[],
): void {
  const { segments, generation } = core.state
  const from = segments.indexOf(inputs[0] as Segment)
  fresh.forEach((segment, n) => {
    core.producers.aborted.set(segment, (outputs[n] as FinishedSegment).aborted)
  })
  core.space.took(bytesOf(fresh))
  core.directoryChanges++
  core.publish({
    segments: [...segments.slice(0, from), ...fresh, ...segments.slice(from + inputs.length)],
    generation: generation + 1,
  })
}

function existingSegment(
  core: LogCore,
  { baseOffset, ...log }: FinishedSegment,
  transition: 'swap',
): Segment {
  const options = core.segmentOptions(baseOffset)
  return Segment.existing({ ...options, place: { ...options.place, transition } }, log)
}

/** The `.log` last on its way to `.swap`, first on its way from it. */
async function renameFiles(
  core: LogCore,
  baseOffset: bigint,
  from: Transition,
  to: Transition | undefined,
): Promise<void> {
  const { directory, files } = core.env
  const kinds = to === undefined ? SEGMENT_FILE_KINDS : [...SEGMENT_FILE_KINDS].reverse()
  for (const kind of kinds) {
    try {
      await files.rename(
        join(directory, fileName(baseOffset, kind, from)),
        join(directory, fileName(baseOffset, kind, to)),
      )
    } catch (error) {
      // Only a transaction index may not be there: it is made for entries alone.
      if (kind !== 'txnindex' || !(error instanceof IoError) || error.errno !== 'ENOENT') throw error
    }
  }
}
