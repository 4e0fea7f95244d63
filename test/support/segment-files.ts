/** One segment's three files through a backend, and what they hold on disk. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Backend, LogFile, OffsetIndexFile, TimeIndexFile } from '../../lib/backend/contract.js'

export interface SegmentFiles {
  readonly log: LogFile
  readonly offsetIndex: OffsetIndexFile
  readonly timeIndex: TimeIndexFile
}

export interface SegmentOptions {
  readonly baseOffset?: bigint
  readonly preallocateBytes?: number
  readonly capacityBytes?: number
}

const NAME = '00000000000000000000'

/** Makes a new segment in `directory`. */
export function createSegment(
  backend: Backend,
  directory: string,
  options: SegmentOptions = {},
): SegmentFiles {
  const { baseOffset = 0n, preallocateBytes, capacityBytes = 1200 } = options
  const logOptions = preallocateBytes === undefined ? {} : { preallocateBytes }
  const index = { mode: 'create', capacityBytes } as const
  return {
    log: backend.openLogFile(join(directory, `${NAME}.log`), { mode: 'create', baseOffset, ...logOptions }),
    offsetIndex: backend.openIndexFile(join(directory, `${NAME}.index`), { ...index, kind: 'offset' }),
    timeIndex: backend.openIndexFile(join(directory, `${NAME}.timeindex`), { ...index, kind: 'time' }),
  }
}

/** Appends a batch as it is, with the index entries given. */
export function append(
  { log, offsetIndex, timeIndex }: SegmentFiles,
  batch: Uint8Array,
  entries: { offsetEntries?: Uint8Array; timeEntries?: Uint8Array } = {},
): void {
  log.append({ bytes: batch, length: batch.length, seal: false, ...entries }, offsetIndex, timeIndex)
}

export async function closeSegment({ log, offsetIndex, timeIndex }: SegmentFiles): Promise<void> {
  await Promise.all([log.close(), offsetIndex.close(), timeIndex.close()])
}

/** The bytes of all three on disk, and what the handles say of them. */
export function contentOf({ log, offsetIndex, timeIndex }: SegmentFiles): Record<string, unknown> {
  return {
    log: readFileSync(log.path).toString('hex'),
    sizeInBytes: log.sizeInBytes,
    offsetIndex: readFileSync(offsetIndex.path).toString('hex'),
    offsetEntries: offsetIndex.entries,
    timeIndex: readFileSync(timeIndex.path).toString('hex'),
    timeEntries: timeIndex.entries,
  }
}

/** Entries of an offset index in file form. */
export function offsetEntries(
  ...entries: readonly (readonly [relativeOffset: number, position: number])[]
): Buffer {
  const bytes = Buffer.alloc(entries.length * 8)
  for (const [i, [relativeOffset, position]] of entries.entries()) {
    bytes.writeInt32BE(relativeOffset, i * 8)
    bytes.writeInt32BE(position, i * 8 + 4)
  }
  return bytes
}

/** Entries of a time index in file form. */
export function timeEntries(
  ...entries: readonly (readonly [timestamp: bigint, relativeOffset: number])[]
): Buffer {
  const bytes = Buffer.alloc(entries.length * 12)
  for (const [i, [timestamp, relativeOffset]] of entries.entries()) {
    bytes.writeBigInt64BE(timestamp, i * 12)
    bytes.writeInt32BE(relativeOffset, i * 12 + 8)
  }
  return bytes
}
