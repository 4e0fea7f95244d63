/** Our batches against those that kafka-clients' builder made of the same input. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import type { Batch } from '../../lib/format/batch.js'
import { assembleBatch, BatchEncoder, type BatchHeader, sealBatch } from '../../lib/format/batch-encoder.js'
import { recordBatches } from '../../lib/format/batches.js'
import type { CodecName } from '../../lib/format/compression.js'
import { type EncodeBatchOptions, encodeBatch } from '../../lib/format/encode-batch.js'
import type { RecordInput } from '../../lib/format/record.js'
import { batchForm, type GoldenBatch, withoutControl } from '../support/golden.js'

interface EncodeCase {
  readonly name: string
  readonly file: string
  readonly exact: boolean
  readonly baseOffset: string
  readonly partitionLeaderEpoch: number
  readonly codec: CodecName
  readonly timestampType: 'CreateTime' | 'LogAppendTime'
  readonly logAppendTime: string | null
  readonly deleteHorizonMs: string | null
  readonly producerId: string
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly isTransactional: boolean
  readonly records?: readonly CaseRecord[]
}

interface CaseRecord {
  readonly offset: string
  readonly timestamp: string
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly { readonly key: string; readonly value: string | null }[]
}

/**
 * What no append can ask for, so that the encoder does not take it: gaps (only
 * compaction leaves them), delete horizons, markers, and timestamps below -1.
 */
const NOT_TO_ENCODE = [
  'timestamps-negative',
  'timestamps-zero-to-min',
  'timestamps-max-to-min',
  'offsets-with-gaps',
  'first-offset-missing',
  'largest-offset-delta',
  'delete-horizon',
  'delete-horizon-zero',
  'delete-horizon-log-append-time',
  'marker-commit',
  'marker-abort',
  'marker-largest',
  'marker-no-coordinator',
  'emptied',
  'emptied-transactional',
  'emptied-marker',
  'emptied-log-append-time',
]

const GOLDEN = new URL('../golden/', import.meta.url)
const golden = (path: string) => readFileSync(new URL(path, GOLDEN))
const cases: readonly EncodeCase[] = JSON.parse(golden('encode/cases.json').toString())
const encodable = cases.filter(({ name }) => !NOT_TO_ENCODE.includes(name))
const exact = encodable.filter((one) => one.exact)
const compressed = encodable.filter((one) => !one.exact)

beforeAll(async () => {
  for (const { codec } of compressed) await loadCodec(codec)
})

describe('a batch that kafka-clients made', () => {
  it('is known to this test in every case', () => {
    expect(NOT_TO_ENCODE.filter((name) => !cases.some((one) => one.name === name))).toEqual([])
    expect(encodable.filter(({ records }) => records === undefined)).toEqual([])
    expect([exact.length, compressed.length]).toEqual([35, 4])
  })

  it.each(exact)('$name: encodeBatch gives the same bytes', (one) => {
    expect(encodeBatch(recordsOf(one), optionsOf(one)).toString('hex')).toBe(bytesOf(one).toString('hex'))
  })

  it.each(exact)('$name: the encoder of a log gives the same bytes', (one) => {
    expect(encodedAsByLog(one).toString('hex')).toBe(bytesOf(one).toString('hex'))
  })

  it.each(compressed)('$name: ours and theirs decode to the same', (one) => {
    const { crc: _, sizeInBytes: __, ...ours } = decoded(encodeBatch(recordsOf(one), optionsOf(one)))
    const { crc: ___, sizeInBytes: ____, ...theirs } = expectedOf(one)
    expect(ours).toEqual(theirs)
  })

  it.each(cases)('$name: reads as Kafka reads it', (one) => {
    expect(decoded(bytesOf(one))).toEqual(expectedOf(one))
  })
})

it.each(['timestamps-negative', 'timestamps-zero-to-min', 'timestamps-max-to-min'])(
  '%s: timestamps below -1 are refused',
  (name) => {
    const one = cases.find((other) => other.name === name) as EncodeCase
    expect(() => encodeBatch(recordsOf(one))).toThrow(RangeError)
  },
)

it("gives the article's sizes", () => {
  // 10 records of an 8-byte key and a 250-byte value: 267 bytes each, 61 for the header.
  const article = Array.from({ length: 10 }, (_, n) => ({
    key: `key-${n}`.padEnd(8, 'k'),
    value: 'v'.repeat(250),
    timestamp: 1_700_000_000_000,
  }))
  expect(encodeBatch(article)).toHaveLength(2731)
})

function bytesOf(one: EncodeCase): Buffer {
  return golden(`encode/${one.file}`)
}

function expectedOf(one: EncodeCase): GoldenBatch {
  const [batch] = JSON.parse(golden(`expected/encode/${one.file}.json`).toString())
  return withoutControl(batch)
}

function decoded(bytes: Buffer) {
  const batches = [...recordBatches(bytes)]
  expect(batches).toHaveLength(1)
  const [batch] = batches as [Batch]
  expect(batch.isValid()).toBe(true)
  return batchForm(batch, 0)
}

function recordsOf({ records = [] }: EncodeCase): RecordInput[] {
  return records.map(({ timestamp, key, value, headers }) => ({
    timestamp,
    key: bytes(key),
    value: bytes(value),
    headers: headers.map((header) => ({ key: header.key, value: bytes(header.value) })),
  }))
}

function bytes(base64: string | null): Buffer | null {
  return base64 === null ? null : Buffer.from(base64, 'base64')
}

function optionsOf(one: EncodeCase): EncodeBatchOptions {
  const { partitionLeaderEpoch, codec: compression, timestampType, baseOffset } = one
  const common = { partitionLeaderEpoch, compression, timestampType, baseOffset: BigInt(baseOffset) }
  const time = one.logAppendTime === null ? {} : { logAppendTime: one.logAppendTime }
  if (one.producerId === '-1') return { ...common, ...time }
  const { producerId: id, producerEpoch: epoch, baseSequence, isTransactional: transactional } = one
  return { ...common, ...time, producer: { id, epoch, baseSequence, transactional } }
}

function encodedAsByLog(one: EncodeCase): Buffer {
  const encoded = new BatchEncoder().encodeRecords(recordsOf(one), 0)
  const header: BatchHeader = {
    baseOffset: BigInt(one.baseOffset),
    partitionLeaderEpoch: one.partitionLeaderEpoch,
    producerId: BigInt(one.producerId),
    producerEpoch: one.producerEpoch,
    baseSequence: one.baseSequence,
    isTransactional: one.isTransactional,
  }
  const time =
    one.logAppendTime === null
      ? ({ type: 'CreateTime' } as const)
      : ({ type: 'LogAppendTime', nowMs: BigInt(one.logAppendTime) } as const)
  return sealBatch(assembleBatch(encoded, header, time, { codec: one.codec }))
}
