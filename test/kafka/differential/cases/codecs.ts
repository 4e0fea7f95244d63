/** Who compresses, and what comes out of it. */
import { CODEC_NAMES, type CodecName } from '../../../../lib/format/compression.js'
import type { SomeRecord } from '../script.js'
import { append, at, fetch, leader, record, reopen, time } from './moves.js'
import { decoded, exact, type NamedCase } from './named-case.js'

const RECORDS: readonly SomeRecord[] = [
  record({ time: 5, valueBytes: 300 }),
  record({ time: 3, key: null, valueBytes: null, headers: ['x', null, ''] }),
  record({ time: 'none', key: '', valueBytes: 0 }),
  record({ time: 9, key: 'ключ' }),
]

const eachCodec = (moves: (codec: CodecName) => ReturnType<typeof append>[]) => CODEC_NAMES.flatMap(moves)
const TYPES = ['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd']

export const codecs: readonly NamedCase[] = [
  ...TYPES.flatMap((type) =>
    ['CreateTime', 'LogAppendTime'].map((timestampType) =>
      decoded(
        `compression.type ${type}, ${timestampType}: each codec that a producer may use`,
        [
          ...eachCodec((codec) => [append(RECORDS, { codec }), leader(RECORDS, { codec })]),
          fetch(0),
          at('read', 3),
          time(6),
          reopen,
          append(RECORDS),
        ],
        { 'compression.type': type, 'message.timestamp.type': timestampType },
      ),
    ),
  ),
  exact('the bytes that a producer compressed stay as they are', [
    ...eachCodec((codec) => [leader(RECORDS, { codec }), leader([record({ valueBytes: 500 })], { codec })]),
  ]),
  exact(
    'compression.type uncompressed opens what a producer compressed',
    eachCodec((codec) => [leader(RECORDS, { codec })]),
    { 'compression.type': 'uncompressed' },
  ),
]
