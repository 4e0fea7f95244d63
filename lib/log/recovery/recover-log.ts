/**
 * Brings the files of a log into order before it is served: finishes or undoes
 * what a stop interrupted, scans what may not have reached the disk, cuts at
 * the first bad batch, makes indexes anew. Follows Kafka's LogLoader, but
 * never cuts unasked what was known to be on disk, and takes no I/O error for
 * damage. On return all that was scanned is on disk, as after a clean close.
 */

import type { DirectoryEntry, LogFile } from '../../backend/contract.js'
import { corrupt } from '../../errors.js'
import { planSegments, type StoredSegment } from '../directory-plan.js'
import type { LeaderEpochs } from '../leader-epochs.js'
import { listMeasured } from '../listing.js'
import { findCorruptIndexes } from './corrupt-indexes.js'
import { cutSegment, type Previous, removeSegments, staleBecause } from './cut.js'
import { finishLeftFiles } from './left-files.js'
import { RecoveryContext, type RecoveryInput } from './recovery-context.js'
import { planScans, type SegmentToScan } from './recovery-plan.js'
import type { SegmentScan } from './scan-segment.js'
import { splitSegment } from './split-segment.js'

export interface RecoveredFiles {
  /** By rising base offset. */
  readonly segments: readonly StoredSegment[]
  /** With those of the batches that were scanned. */
  readonly epochs: LeaderEpochs
  /** Files of nobody, to be removed (`removeFiles`) when the log has been opened. */
  readonly leftovers: readonly string[]
}

const SEGMENT_BYTES_MAX = 2 ** 31 - 1

export function recoverFiles(input: RecoveryInput): Promise<RecoveredFiles> {
  return new LogRecovery(new RecoveryContext(input)).run()
}

/** Nobody asks how long the other files are, and each answer costs a system call. */
export function isMeasured(name: string): boolean {
  return name.endsWith('.log') || name.endsWith('.log.swap')
}

class LogRecovery {
  readonly #context: RecoveryContext
  #epochs: LeaderEpochs
  #segments: readonly StoredSegment[] = []
  #leftovers: readonly string[] = []
  /** The segment scanned last. */
  #previous: Previous | undefined
  #doneBytes = 0
  #totalBytes = 0

  constructor(context: RecoveryContext) {
    this.#context = context
    this.#epochs = context.input.epochs
  }

  async run(): Promise<RecoveredFiles> {
    const { env } = this.#context.input
    for (;;) {
      const hasSplit = await this.#runOnce(await listMeasured(env, isMeasured))
      if (!hasSplit) break
      this.#epochs = this.#context.input.epochs
      this.#previous = undefined
      this.#doneBytes = 0
      this.#context.report.scanned.length = 0
    }
    return { segments: this.#segments, epochs: this.#epochs, leftovers: this.#leftovers }
  }

  /** True where a segment was split: all has to be looked at anew. */
  async #runOnce(entries: readonly DirectoryEntry[]): Promise<boolean> {
    const { options, checkpoints } = this.#context.input
    const { live, deleted } = await finishLeftFiles(this.#context, entries)
    const { segments, orphans } = planSegments(live)
    for (const segment of segments) this.#checkSize(segment)
    this.#leftovers = [...deleted, ...orphans]
    for (const name of orphans) {
      const path = this.#context.path(name)
      this.#context.warn(`Found an orphaned index file ${path}, with no corresponding log file.`)
    }
    this.#segments = segments
    const { wasClean } = options
    const scans = await this.#withSuspects(
      planScans({ segments, wasClean, recoveryPoint: checkpoints.recoveryPoint }),
    )
    this.#totalBytes = scans.reduce((sum, { segment }) => sum + segment.sizeInBytes, 0)
    const scanned = new Set(scans.map(({ segment }) => segment))
    const unscanned = segments.filter((segment) => !scanned.has(segment))
    await options.listener.unscanned?.(unscanned.map(({ baseOffset }) => baseOffset))
    return this.#scanAll(scans)
  }

  #checkSize({ storedAs, sizeInBytes }: StoredSegment): void {
    if (sizeInBytes <= SEGMENT_BYTES_MAX) return
    const message = `${sizeInBytes} bytes are more than a segment can have`
    throw corrupt('batch', this.#context.path(storedAs), message)
  }

  /** With segments that are wrong in themselves: those known to be, and after an unclean stop all that are. */
  async #withSuspects(planned: readonly SegmentToScan[]): Promise<SegmentToScan[]> {
    const { env, options, suspects } = this.#context.input
    const known = new Set(planned.map(({ segment }) => segment))
    const others = this.#segments.filter((segment) => !known.has(segment))
    const corrupt = new Set(options.wasClean ? [] : await findCorruptIndexes(env, others))
    const added = others.flatMap((segment): SegmentToScan[] => {
      const cause = corrupt.has(segment) ? 'corrupt index' : suspects?.get(segment.baseOffset)
      return cause === undefined ? [] : [{ segment, cause }]
    })
    return [...planned, ...added].sort((a, b) => (a.segment.baseOffset < b.segment.baseOffset ? -1 : 1))
  }

  async #scanAll(scans: readonly SegmentToScan[]): Promise<boolean> {
    const unflushed = scans.filter(({ cause }) => cause === 'unflushed').length
    let recovered = 0
    for (const scan of scans) {
      this.#tell(scan, recovered, unflushed)
      const outcome = await this.#recover(scan)
      if (outcome !== 'goes on') return outcome === 'split'
      if (scan.cause === 'unflushed') recovered++
    }
    return false
  }

  #tell({ segment: { baseOffset, storedAs }, cause }: SegmentToScan, recovered: number, of: number): void {
    const context = this.#context
    const file = `corresponding to log file ${context.path(storedAs)}`
    const rebuilding = 'recovering segment and rebuilding index files...'
    if (cause === 'missing index') context.error(`Could not find offset index file ${file}, ${rebuilding}`)
    if (cause === 'corrupt index') context.warn(`Found a corrupted index file ${file}, ${rebuilding}`)
    if (cause !== 'unflushed') return
    const text = `Recovering unflushed segment ${baseOffset}. ${recovered} recovered for ${context.input.env.name}.`
    context.info(text, { baseOffset, recovered, of })
  }

  async #recover(scan: SegmentToScan): Promise<'goes on' | 'ends here' | 'split'> {
    const { segment, cause } = scan
    const previous = cause === 'unflushed' ? this.#previous : undefined
    const stale = previous && staleBecause(this.#context, previous, segment)
    if (stale !== undefined) {
      await this.#removeFrom(segment, stale)
      return 'ends here'
    }
    return this.#context.withLog(segment, (log) => this.#recoverOpen(scan, log))
  }

  async #recoverOpen(scan: SegmentToScan, log: LogFile): Promise<'goes on' | 'ends here' | 'split'> {
    const { segment, cause } = scan
    const { listener, scanLane: lane, onProgress } = this.#context.input.options
    const { baseOffset } = segment
    const told = { baseOffset, log, lane }
    await listener.begin?.(told)
    const found = await this.#context.scan(log, this.#epochs, async (batches, position) => {
      await listener.batches?.(told, batches)
      onProgress?.(this.#doneBytes + position, this.#totalBytes)
    })
    this.#doneBytes += segment.sizeInBytes
    const isDamaged = found.stop !== 'end'
    if (cause === 'wide' && (isDamaged || found.splitAt.length === 0)) return 'goes on'
    const sound = isDamaged ? await this.#cut(scan, log, found) : segment
    if (found.splitAt.length > 0) return this.#split(sound, found)
    const { validBytes, nextOffset } = found
    const { sizeInBytes } = segment
    this.#context.report.scanned.push({ baseOffset, cause, sizeInBytes, validBytes, nextOffset })
    await listener.recovered?.(told, { baseOffset, sizeInBytes: validBytes, nextOffset })
    await this.#context.input.changes.keep(sound, found)
    this.#epochs = found.epochs
    this.#previous = { baseOffset, nextOffset }
    return isDamaged && cause === 'unflushed' ? 'ends here' : 'goes on'
  }

  async #cut(scan: SegmentToScan, log: LogFile, found: SegmentScan): Promise<StoredSegment> {
    const { segment, cause } = scan
    const later = cause === 'unflushed' ? this.#segments.filter(isAfter(segment)) : []
    const cut = await cutSegment(this.#context, { ...scan, log, scan: found, later })
    this.#segments = this.#segments
      .filter((other) => !later.includes(other))
      .map((other) => (other === segment ? cut : other))
    return cut
  }

  /** `segment` and all behind it. */
  async #removeFrom(segment: StoredSegment, because: string): Promise<void> {
    const removed = [segment, ...this.#segments.filter(isAfter(segment))]
    await removeSegments(this.#context, removed, because)
    this.#segments = this.#segments.filter((other) => !removed.includes(other))
  }

  async #split(segment: StoredSegment, { splitAt }: SegmentScan): Promise<'split' | 'goes on'> {
    const { env, config, changes } = this.#context.input
    const { baseOffset } = segment
    this.#context.info(`Splitting overflowed segment ${baseOffset}: its offsets need more than 31 bits`)
    if (this.#context.isDry) {
      this.#context.report.splits.push({ baseOffset, into: [] })
      return 'goes on'
    }
    // Opened anew: it may have been cut since.
    const into = await this.#context.withLog(segment, (log) =>
      splitSegment(env, config, changes, { segment, log, splitAt }),
    )
    this.#context.report.splits.push({ baseOffset, into })
    return 'split'
  }
}

function isAfter(segment: StoredSegment): (other: StoredSegment) => boolean {
  return ({ baseOffset }) => baseOffset > segment.baseOffset
}
