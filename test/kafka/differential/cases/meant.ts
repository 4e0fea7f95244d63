/**
 * A case for each difference that is meant. All that leads up to the last
 * move must be equal; what comes of the last one is told here for both sides.
 */
import { gzipSync } from 'node:zlib'
import {
  ATTRIBUTES_AT,
  BASE_TIMESTAMP_AT,
  DELETE_HORIZON_BIT,
  LENGTH_AT,
  LOG_OVERHEAD,
  RECORDS_AT,
} from '../../../../lib/format/layout.js'
import { resealed } from '../../../support/batches.js'
import { message } from '../../../support/legacy-bytes.js'
import type { MeantName } from '../meant-differences.js'
import type { Settings } from '../operation.js'
import type { Move, Run } from '../run-script.js'
import { COMPACT, put, rounds } from './cleaning-moves.js'
import {
  advance,
  append,
  at,
  clean,
  files,
  maxTime,
  record,
  roll,
  time,
  times,
  toFollower,
  toLeader,
  wire,
} from './moves.js'
import { exact } from './named-case.js'

export interface MeantCase extends Run {
  readonly shows: MeantName
  readonly name: string
  /** `done`, or Kafka's exception. */
  readonly kafka: string
  /** `done`, or our code. */
  readonly ours: string
  /** What the comparison says, of outcomes or of the files of the open log. */
  readonly difference: RegExp
}

interface Sides {
  readonly kafka?: string
  readonly ours?: string
  readonly difference: RegExp
}

function meant(
  shows: MeantName,
  sides: Sides,
  moves: readonly Move[],
  more: { name?: string; settings?: Settings; highWatermark?: 'manual' } = {},
): MeantCase {
  const { name = shows, settings, highWatermark } = more
  return { kafka: 'done', ours: 'done', ...sides, shows, ...exact(name, moves, settings, highWatermark) }
}

/** A batch of two records with something changed and a right checksum. */
function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(wire(0, { count: 2 }))
  change(bytes)
  return resealed(bytes)
}

/** The offset delta of the first record, behind its length, attributes and time: 0, and as a varint 4 is 2. */
const FIRST_OFFSET_DELTA_AT = RECORDS_AT + 3

/** The same batch with its records in gzip. */
function compressed(batch: Buffer): Buffer {
  const bytes = Buffer.concat([batch.subarray(0, RECORDS_AT), gzipSync(batch.subarray(RECORDS_AT))])
  bytes.writeInt32BE(bytes.length - LOG_OVERHEAD, LENGTH_AT)
  bytes.writeInt16BE(1, ATTRIBUTES_AT)
  return resealed(bytes)
}

const refusedHere = /refused is nothing and "ERR_|^result/
const refusedThere = /refused is "|^refused/

export const meantCases: readonly MeantCase[] = [
  meant(
    "a follower's append above segment.bytes",
    { kafka: 'RecordBatchTooLargeException', difference: refusedThere },
    [append([record()]), toFollower([wire(1, { count: 80 })])],
  ),
  meant(
    'no room in an index',
    { kafka: 'IllegalArgumentException', difference: refusedThere },
    [toFollower(Array.from({ length: 8 }, (_, n) => wire(n)))],
    { settings: { 'segment.index.bytes': '48', 'index.interval.bytes': '0' } },
  ),
  meant(
    'batches of one append further apart than 31 bits',
    { kafka: 'LogSegmentOffsetOverflowException', difference: refusedThere },
    [toFollower([wire(0), wire(2 ** 31 + 1)])],
  ),
  meant('an epoch below the latest', { ours: 'ERR_OUT_OF_RANGE', difference: refusedHere }, [
    append([record()], { epochsOn: 5 }),
    toLeader(wire(0), 4),
  ]),
  meant(
    'an epoch noted for a refused batch',
    { kafka: 'RecordBatchTooLargeException', ours: 'ERR_BATCH_TOO_LARGE', difference: /epochs/ },
    [append([record()]), append([record({ valueBytes: 2000 })], { epochsOn: 3 })],
  ),
  meant('a batch without an epoch', { kafka: 'IllegalArgumentException', difference: refusedThere }, [
    append([record()]),
    toFollower([wire(1, { partitionLeaderEpoch: -1 })]),
  ]),
  meant(
    'records deleted from a compacted log',
    { kafka: 'PolicyViolationException', difference: refusedThere },
    [append([record()]), at('deleteBefore', 1)],
    { settings: { 'cleanup.policy': 'compact' } },
  ),
  meant('records deleted behind what is left', { difference: /segments\.1/ }, [
    append([record(), record(), record()]),
    at('truncate', 2),
    at('deleteBefore', 1),
  ]),
  meant(
    'records deleted behind what is left',
    { difference: /segments\.1/ },
    [append([record(), record(), record()]), at('deleteBefore', 1), at('truncate', 2)],
    { name: 'a truncation that leaves nothing before the start' },
  ),
  meant(
    'a high watermark that falls',
    { ours: 'ERR_OUT_OF_RANGE', difference: refusedHere },
    [...times(3, append([record()])), at('highWatermark', 2), at('highWatermark', 1)],
    { highWatermark: 'manual' },
  ),
  meant(
    'a high watermark in a batch or gap',
    { difference: /highWatermark is "0" and "1"/ },
    [append([record(), record()]), at('highWatermark', 1)],
    { name: 'a high watermark in a batch', highWatermark: 'manual' },
  ),
  meant(
    'a high watermark in a batch or gap',
    { difference: /highWatermark is "5" and "3"/ },
    [append([record()]), toFollower([wire(5)]), at('highWatermark', 3)],
    { name: 'a high watermark in a gap', highWatermark: 'manual' },
  ),
  meant(
    'a look-up by time stops in the first segment',
    { difference: /^result/ },
    [
      append([record({ time: 50 })]),
      append([record({ time: 10 })]),
      roll,
      append([record({ time: 40 })]),
      at('deleteBefore', 1),
      time(30),
    ],
    { name: 'a look-up by time, where the record that the first segment has is deleted' },
  ),
  meant(
    'a look-up by time stops in the first segment',
    { difference: /^result/ },
    [append([record({ time: 'none' })]), roll, append([record({ time: 40 })]), time(0)],
    { name: 'a look-up by time, behind a segment without times' },
  ),
  meant(
    'the largest time is not for readers',
    { difference: /^result/ },
    [append([record({ time: 50 })]), append([record({ time: 10 })]), at('deleteBefore', 1), maxTime],
    { name: 'the largest time, of a record that is deleted' },
  ),
  meant(
    'the largest time is not for readers',
    { difference: /^result/ },
    [append([record({ time: 10 })]), append([record({ time: 50 })]), at('highWatermark', 1), maxTime],
    { name: 'the largest time, above the high watermark', highWatermark: 'manual' },
  ),
  meant('no record has a time', { difference: /^result/ }, [append([record({ time: 'none' })]), maxTime]),
  meant(
    'one of several faults',
    { kafka: 'RecordTooLargeException', ours: 'ERR_TIMESTAMP_OUT_OF_BOUNDS', difference: /^refused/ },
    [append([record({ valueBytes: 300, time: 5000 })])],
    { settings: { 'max.message.bytes': '200', 'message.timestamp.after.max.ms': '1000' } },
  ),
  meant("bytes behind a leader's batch", { ours: 'ERR_INVALID_BATCH', difference: refusedHere }, [
    toLeader(Buffer.concat([wire(0), wire(0).subarray(0, 30)])),
  ]),
  meant('an old format at a leader', { ours: 'ERR_INVALID_BATCH', difference: refusedHere }, [
    toLeader(message({ magic: 1, value: Buffer.from('old'), timestamp: 5n })),
  ]),
  meant(
    'fields that the log sets',
    { ours: 'ERR_INVALID_BATCH', difference: refusedHere },
    [toLeader(wire(0, { timestampType: 'LogAppendTime', logAppendTime: 5n }))],
    { name: 'a batch that says LogAppendTime itself' },
  ),
  meant(
    'fields that the log sets',
    { kafka: 'InvalidTimestampException', ours: 'ERR_INVALID_BATCH', difference: /^refused/ },
    [toLeader(wire(0, { timestampType: 'LogAppendTime', logAppendTime: 5n }))],
    {
      name: 'a batch that says LogAppendTime itself, where the log does too',
      settings: { 'message.timestamp.type': 'LogAppendTime' },
    },
  ),
  meant(
    'fields that the log sets',
    { ours: 'ERR_INVALID_BATCH', difference: refusedHere },
    [toLeader(changed((bytes) => bytes.writeInt16BE(DELETE_HORIZON_BIT, ATTRIBUTES_AT)))],
    { name: 'a batch with a delete horizon' },
  ),
  meant(
    'offsets within a batch',
    { kafka: 'UnsupportedOperationException', ours: 'ERR_INVALID_BATCH', difference: /^refused/ },
    [toLeader(compressed(changed((bytes) => bytes.writeInt8(4, FIRST_OFFSET_DELTA_AT))))],
    { name: 'a compressed record with the offset of another' },
  ),
  meant(
    'offsets within a batch',
    { ours: 'ERR_INVALID_BATCH', difference: refusedHere },
    [toLeader(changed((bytes) => bytes.writeInt8(4, FIRST_OFFSET_DELTA_AT)))],
    { name: 'a record with the offset of another' },
  ),
  meant(
    'offsets within a batch',
    { ours: 'ERR_INVALID_BATCH', difference: refusedHere },
    [toLeader(changed((bytes) => bytes.writeBigInt64BE(-7n, BASE_TIMESTAMP_AT)))],
    { name: 'a time below -1' },
  ),
  meant('batches that overlap', { ours: 'ERR_INVALID_BATCH', difference: refusedHere }, [
    toFollower([wire(0, { count: 5 }), wire(3, { count: 5 })]),
  ]),
  meant(
    'an old batch does not tell its first offset',
    { difference: /^result\.baseOffset is "-1" and "4"/ },
    [toFollower([message({ offset: 4n, magic: 1, value: Buffer.from('old'), timestamp: 5n })])],
  ),
  meant(
    'entries that a truncation cut off',
    { difference: /\.index: byte/ },
    [...times(5, append([record()])), at('truncate', 1)],
    { settings: { 'index.interval.bytes': '0' } },
  ),
  meant(
    'an empty preallocated segment',
    { difference: /\.log: byte/ },
    [append([record()]), at('truncate', 0), roll, advance(60_000)],
    { settings: { preallocate: 'true' } },
  ),
  meant(
    'no room in the index of a cleaned segment',
    { kafka: 'IllegalArgumentException', difference: /refused/ },
    [
      ...['a', 'b', 'c'].map((key) => append([record({ key, time: 'none' })])),
      append([record({ key: 'd' })]),
      roll,
      clean,
    ],
    { settings: { ...COMPACT, 'segment.index.bytes': '12', 'index.interval.bytes': '0' } },
  ),
  meant(
    'deleted files of one name',
    { difference: /deleted/ },
    [
      ...[0, 1].flatMap((n) => [...rounds(3, ['a', 'b']), put([['c', `${n}`]]), roll, clean, advance(400)]),
      advance(200),
      files,
    ],
    { settings: { ...COMPACT, 'file.delete.delay.ms': '1000', 'internal.segment.bytes': '4000' } },
  ),
]
