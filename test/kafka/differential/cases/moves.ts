/** Words in which the named cases are written. */
import { loadCodec } from '../../../../lib/backend/codecs/load.js'
import { CODEC_NAMES, type CodecName } from '../../../../lib/format/compression.js'
import { type EncodeBatchOptions, encodeBatch } from '../../../../lib/format/encode-batch.js'
import type { RecordInput } from '../../../../lib/format/record.js'
import { type Operation, type Settings, toBase64 } from '../operation.js'
import { resolve } from '../resolve.js'
import { type Move, START_MS } from '../run-script.js'
import type { SomeRecord } from '../script.js'

// Batches are made while the cases are written down.
await Promise.all(CODEC_NAMES.map(loadCodec))

/** A follower that takes every epoch. */
const ANY_EPOCH = 2 ** 31 - 1

/** A record with key `k`, ten bytes and the clock's time, unless told otherwise. */
export function record(fields: Partial<SomeRecord> = {}): SomeRecord {
  return { key: 'k', valueBytes: 10, headers: [], time: 'clock', ...fields }
}

/** Of the batch that holds one such record alone. */
export function batchBytes(valueBytes: number): number {
  return encodeBatch([{ key: 'k', value: Buffer.alloc(valueBytes), timestamp: START_MS }]).length
}

/** Each contender builds the batch. */
export function append(
  records: readonly SomeRecord[],
  more: { epochsOn?: number | null; codec?: CodecName } = {},
): Move {
  const { epochsOn = 0, codec = 'none' } = more
  return (view) => resolve({ kind: 'append', records, codec, epochsOn }, view)
}

/** All are given the same bytes. */
export function leader(
  records: readonly SomeRecord[],
  more: { epochsOn?: number; codec?: CodecName } = {},
): Move {
  const { epochsOn = 0, codec = 'none' } = more
  return (view) => resolve({ kind: 'leader', records, codec, epochsOn }, view)
}

/** A batch of the leader's at `baseOffset`, of `count` records with the times given, or the start of the test's. */
export function wire(
  baseOffset: bigint | number,
  { count = 1, times, ...options }: { count?: number; times?: readonly number[] } & EncodeBatchOptions = {},
): Buffer {
  const records: RecordInput[] = Array.from({ length: times?.length ?? count }, (_, n) => ({
    key: `k${n}`,
    value: `value ${n}`,
    timestamp: START_MS + (times?.[n] ?? 0),
  }))
  return encodeBatch(records, { partitionLeaderEpoch: 0, ...options, baseOffset })
}

export function toLeader(bytes: Uint8Array, leaderEpoch = 0): Operation {
  return { op: 'leader', bytes: toBase64(bytes), leaderEpoch }
}

export function toFollower(batches: readonly Uint8Array[], leaderEpoch = ANY_EPOCH): Operation {
  return { op: 'follower', bytes: toBase64(Buffer.concat(batches)), leaderEpoch }
}

export function advance(ms: number): Operation {
  return { op: 'advance', ms: `${ms}` }
}

export function configure(settings: Settings): Operation {
  return { op: 'configure', settings }
}

export function fetch(offset: bigint | number, maxBytes = 1 << 20, minOneBatch = true): Operation {
  return { op: 'fetch', offset: `${offset}`, maxBytes, minOneBatch }
}

type At = 'truncate' | 'deleteBefore' | 'highWatermark' | 'read' | 'locate'

export function at(op: At, offset: bigint | number): Operation {
  return { op, offset: `${offset}` }
}

/** A look-up `aheadMs` from the start of the test. */
export function time(aheadMs: number): Operation {
  return { op: 'time', timestamp: `${START_MS + aheadMs}` }
}

export const retain: Operation = { op: 'retain' }
export const clean: Operation = { op: 'clean' }
export const roll: Operation = { op: 'roll' }
export const reopen: Operation = { op: 'reopen' }
export const maxTime: Operation = { op: 'maxTime' }
export const files: Operation = { op: 'files' }
export const flush: Operation = { op: 'flush', force: false }

export function times(count: number, ...moves: readonly Move[]): Move[] {
  return Array.from({ length: count }, () => moves).flat()
}

/** Every look there is, at each offset from `from` to `to`; a batch is located within the log alone. */
export function looks(from: number, to: number): Move[] {
  const offsets = Array.from({ length: to - from + 1 }, (_, n) => from + n)
  return offsets.flatMap((offset): Move[] => [
    fetch(offset),
    fetch(offset, 0),
    fetch(offset, 100, false),
    ({ start, end }) => (offset < start || offset > end ? fetch(offset) : at('locate', offset)),
    at('read', offset),
  ])
}

/** So many batches of three records, a new leader epoch with every third. */
export function batchesOfThree(count: number): Move[] {
  return Array.from({ length: count }, (_, n) =>
    append(
      [0, 1, 2].map((m) => record({ time: n * 10 + m, valueBytes: 60 })),
      { epochsOn: n % 3 === 0 ? 1 : 0 },
    ),
  )
}
