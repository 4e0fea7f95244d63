/**
 * The entries of a segment's two indexes against its batches, as these come
 * by: an offset entry names a batch's last offset and first byte, a time entry
 * the last offset of a batch and the largest timestamp up to it.
 */

import { join } from 'node:path'
import type { BatchColumns, OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { IoError } from '../errors.js'
import type { StoredSegment } from '../log/directory-plan.js'
import type { LogEnvironment } from '../log/log-environment.js'
import { dropZeroTail } from '../segment/index-tail.js'
import { fileName } from '../segment/names.js'
import type { Finding } from './finding.js'

type Found = (finding: Finding) => void

export class IndexChecks {
  readonly #found: Found
  readonly #baseOffset: bigint
  readonly #offsetIndex: OffsetIndexFile | undefined
  readonly #timeIndex: TimeIndexFile | undefined
  #offsetEntry = 0
  #timeEntry = 0
  #maxTimestamp = -1n

  constructor(
    env: LogEnvironment,
    { baseOffset, sizeInBytes }: StoredSegment,
    logBytes: number,
    found: Found,
  ) {
    this.#found = found
    this.#baseOffset = baseOffset
    const path = (kind: 'index' | 'timeindex') => join(env.directory, fileName(baseOffset, kind))
    const options = { mode: 'read', capacityBytes: 0 } as const
    const isEmpty = Math.max(sizeInBytes, logBytes) === 0
    this.#offsetIndex = this.#open(path('index'), isEmpty, (file) =>
      env.backend.openIndexFile(file, { ...options, kind: 'offset' }),
    )
    this.#timeIndex = this.#open(path('timeindex'), isEmpty, (file) =>
      env.backend.openIndexFile(file, { ...options, kind: 'time' }),
    )
  }

  check(batches: BatchColumns): void {
    for (let row = 0; row < batches.count; row++) {
      const relative = Number((batches.lastOffsets[row] as bigint) - this.#baseOffset)
      const timestamp = batches.maxTimestamps[row] as bigint
      if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp
      this.#checkOffset(relative, batches.positions[row] as number)
      this.#checkTime(relative)
    }
  }

  /** All batches were seen, up to `validBytes`. */
  end(validBytes: number): void {
    const offsets = this.#offsetIndex
    for (; offsets !== undefined && this.#offsetEntry < offsets.entries; this.#offsetEntry++) {
      const { relativeOffset, position } = offsets.entry(this.#offsetEntry)
      const what = position >= validBytes ? 'lies behind the last sound batch' : 'is in no order'
      this.#tell(offsets, this.#offsetEntry, `entry (${relativeOffset} -> ${position}) ${what}`)
    }
    const times = this.#timeIndex
    if (times === undefined || this.#timeEntry >= times.entries) return
    const { timestamp, relativeOffset } = times.entry(this.#timeEntry)
    this.#tell(times, this.#timeEntry, `entry (${timestamp} -> ${relativeOffset}) names no batch`)
  }

  async close(): Promise<void> {
    await Promise.all([this.#offsetIndex?.close(), this.#timeIndex?.close()])
  }

  #checkOffset(relative: number, position: number): void {
    const index = this.#offsetIndex
    if (index === undefined || this.#offsetEntry >= index.entries) return
    const entry = index.entry(this.#offsetEntry)
    if (entry.position > position) return
    const isRight = entry.position === position && entry.relativeOffset === relative
    if (!isRight)
      this.#tell(
        index,
        this.#offsetEntry,
        `entry (${entry.relativeOffset} -> ${entry.position}) does not name the batch at ${position}, whose last offset is ${relative}`,
      )
    this.#offsetEntry++
  }

  #checkTime(relative: number): void {
    const index = this.#timeIndex
    while (index !== undefined && this.#timeEntry < index.entries) {
      const { timestamp, relativeOffset } = index.entry(this.#timeEntry)
      if (relativeOffset > relative) return
      const isRight = timestamp <= this.#maxTimestamp
      if (!isRight)
        this.#tell(
          index,
          this.#timeEntry,
          `entry (${timestamp} -> ${relativeOffset}) is above the largest timestamp so far, ${this.#maxTimestamp}`,
        )
      this.#timeEntry++
    }
  }

  #tell(index: OffsetIndexFile | TimeIndexFile, entry: number, message: string): void {
    this.#found({ kind: 'index', path: index.path, position: entry * index.entrySize, message })
  }

  #open<Index extends OffsetIndexFile | TimeIndexFile>(
    path: string,
    isEmpty: boolean,
    open: (path: string) => Index,
  ): Index | undefined {
    try {
      const index = open(path)
      dropZeroTail(index)
      if (index.oddBytes > 0) {
        const message = `its length is no multiple of ${index.entrySize}`
        this.#found({ kind: 'index', path, position: null, message })
      }
      return index
    } catch (error) {
      if (!(error instanceof IoError) || error.errno !== 'ENOENT') throw error
      if (!isEmpty) this.#found({ kind: 'index', path, position: null, message: 'the file is missing' })
      return undefined
    }
  }
}
