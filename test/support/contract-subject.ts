/**
 * A backend at work on one segment, with its answers and its files in a form
 * that can be compared with another backend's.
 */
import { readFileSync } from 'node:fs'
import type { Backend, Lane, SliceBounds } from '../../lib/backend/contract.js'
import { rawBatch } from './batches.js'
import type { Operation, Place, RandomBatch } from './contract-operations.js'
import {
  closeSegment,
  createSegment,
  offsetEntries,
  type SegmentFiles,
  timeEntries,
} from './segment-files.js'

const BASE = 500n

/** One segment in a directory of its own. */
export class Subject {
  readonly #backend: Backend
  readonly #lane: Lane
  #files: SegmentFiles
  #nextOffset = BASE
  /** Where the batches begin that were appended. */
  #starts: number[] = [0]

  constructor(backend: Backend, lane: Lane, directory: string, preallocateBytes: number | undefined) {
    const options = preallocateBytes === undefined ? {} : { preallocateBytes }
    this.#backend = backend
    this.#lane = lane
    this.#files = createSegment(backend, directory, { baseOffset: BASE, capacityBytes: 400, ...options })
  }

  /** Carries an operation out: its answer or its error, as plain values. */
  async apply(operation: Operation): Promise<unknown> {
    try {
      return { answer: plain(await this.#run(operation)) }
    } catch (error) {
      const { name, code, syscall, errno, position, damaged } = error as Record<string, unknown>
      if (code === undefined) throw error
      return { name, code, syscall, errno, position, damaged }
    }
  }

  /** All that can be seen of the files, on disk and through the handles. */
  state(): unknown {
    const { log, offsetIndex, timeIndex } = this.#files
    const seen = [
      log.sizeInBytes,
      ...[offsetIndex, timeIndex].flatMap((i) => [i.entries, i.capacity, i.oddBytes]),
    ]
    const bytes = [log, offsetIndex, timeIndex].map(({ path }) => readFileSync(path).toString('base64'))
    return { seen, bytes }
  }

  close(): Promise<void> {
    return closeSegment(this.#files)
  }

  async #run(operation: Operation): Promise<unknown> {
    const { log, offsetIndex, timeIndex } = this.#files
    switch (operation.kind) {
      case 'append':
        return this.#append(operation)
      case 'truncateLog':
        return this.#truncate(this.#position(operation.at))
      case 'truncateIndex':
        return [offsetIndex.truncate(operation.at), timeIndex.truncate(operation.at)]
      case 'entry':
        return [offsetIndex.entry(operation.at), timeIndex.entry(operation.at)]
      case 'lookup':
        return offsetIndex.lookup(operation.at)
      case 'lookupTime':
        return timeIndex.lookup(operation.timestamp)
      case 'resizeIndexes':
        return [offsetIndex.resize(operation.capacityBytes), timeIndex.resize(operation.capacityBytes)]
      case 'trim':
        return [log.trim(), offsetIndex.trim(), timeIndex.trim()]
      case 'reopen':
        return this.#reopen(operation.mode)
      case 'translate':
        return [
          log.translate(offsetIndex, operation.target),
          log.sliceBlocking(offsetIndex, operation.target, this.#bounds(operation)),
        ]
      case 'laneSlice':
        return this.#lane.slice(log, offsetIndex, operation.target, this.#bounds(operation))
      case 'read':
        return log.readBlocking(this.#position(operation.from), operation.length)
      case 'laneRead':
        return this.#lane.read(log, this.#position(operation.from), operation.length)
      case 'scan':
        return this.#scan(operation)
      case 'flush':
        return this.#lane.flush([log, offsetIndex, timeIndex])
    }
  }

  #append({ batches, seal, offsets, times }: Operation & { kind: 'append' }): void {
    const parts = batches.map((random) => this.#bytesOf(random))
    const bytes = Buffer.concat(parts)
    const isSealable = seal && batches.length === 1 && bytes[16] === 2
    const entries = { offsetEntries: offsetEntries(...offsets), timeEntries: timeEntries(...times) }
    const request = { bytes, length: bytes.length, seal: isSealable, ...entries }
    const { log, offsetIndex, timeIndex } = this.#files
    const position = log.sizeInBytes
    log.append(request, offsetIndex, timeIndex)
    for (const part of parts) this.#starts.push((this.#starts.at(-1) ?? 0) + part.length)
    if (log.sizeInBytes !== position + bytes.length) throw new Error(`${log.sizeInBytes} after ${position}`)
  }

  #truncate(sizeInBytes: number): void {
    this.#files.log.truncate(sizeInBytes)
    this.#starts = [...this.#starts.filter((position) => position < sizeInBytes), sizeInBytes]
  }

  #position(place: Place): number {
    if ('batch' in place) return this.#starts[place.batch % this.#starts.length] ?? 0
    return Math.floor((this.#files.log.sizeInBytes * place.perMille) / 1000)
  }

  #bounds({
    from,
    end,
    maxBytes,
    minOneBatch,
  }: Operation & { kind: 'translate' | 'laneSlice' }): SliceBounds {
    return { fromPosition: this.#position(from), endPosition: this.#position(end), maxBytes, minOneBatch }
  }

  #bytesOf({ fields, gap, damagedByte }: RandomBatch): Buffer {
    const baseOffset = this.#nextOffset + BigInt(gap)
    const bytes = rawBatch({ ...fields, baseOffset })
    if (gap >= 0 && gap < 100)
      this.#nextOffset = baseOffset + BigInt(Math.max(0, Math.min(fields.lastOffsetDelta ?? 0, 99))) + 1n
    if (damagedByte !== undefined && damagedByte < bytes.length)
      bytes[damagedByte] = (bytes[damagedByte] as number) ^ 0x11
    return bytes
  }

  async #reopen(mode: 'write' | 'read'): Promise<void> {
    const { log, offsetIndex, timeIndex } = this.#files
    await this.close()
    const options = { mode, capacityBytes: 0 }
    this.#files = {
      log: this.#backend.openLogFile(log.path, { mode, baseOffset: BASE }),
      offsetIndex: this.#backend.openIndexFile(offsetIndex.path, { kind: 'offset', ...options }),
      timeIndex: this.#backend.openIndexFile(timeIndex.path, { kind: 'time', ...options }),
    }
  }

  async #scan({ from, end, maxBatches, checkCrc, until }: Operation & { kind: 'scan' }): Promise<unknown> {
    const options = {
      fromPosition: this.#position(from),
      endPosition: this.#position(end),
      maxBatches,
      checkCrc,
    }
    const scan = await this.#lane.scan(
      this.#files.log,
      until === undefined ? options : { ...options, untilTimestamp: until },
    )
    const { count, ...columns } = scan.batches
    // Columns may have rows to spare, and come in any order.
    const names = Object.keys(columns).sort() as (keyof typeof columns)[]
    return { ...scan, batches: names.map((name) => [name, ...columns[name].slice(0, count)]) }
  }
}

/** Bytes and bigints as text, so that values from two backends compare and print alike. */
function plain(value: unknown): unknown {
  if (value === undefined) return null
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)))
}
