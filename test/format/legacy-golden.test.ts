/** Logs of magic 0 and 1 that Kafka wrote, against what Kafka reads from them. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { DEFAULT_BATCH_LIMITS } from '../../lib/format/batch.js'
import { recordBatches } from '../../lib/format/batches.js'
import { isLegacyCrcValid, type LegacyBatch, readLegacyBatch } from '../../lib/format/legacy.js'
import { legacyRecords } from '../../lib/format/legacy-records.js'
import { bytesForm, type GoldenBatch } from '../support/golden.js'

const golden = (path: string): URL => new URL(`../golden/${path}`, import.meta.url)

await Promise.all((['gzip', 'snappy', 'lz4'] as const).map(loadCodec))

const logs = readdirSync(golden('legacy')).flatMap((partition) =>
  readdirSync(golden(`legacy/${partition}`))
    .filter((name) => name.endsWith('.log'))
    .map((name) => `legacy/${partition}/${name}`),
)

/** Entries of magic 0 and 1; one log goes on with magic 2. */
function readAll(bytes: Uint8Array, expected: readonly GoldenBatch[]): LegacyBatch[] {
  return expected
    .filter(({ magic }) => magic < 2)
    .map(({ position }) => readLegacyBatch(bytes, position, bytes.length))
}

function recordForm(batch: LegacyBatch): unknown {
  return legacyRecords(batch, DEFAULT_BATCH_LIMITS).map((record) => ({
    offset: String(record.offset),
    timestamp: String(record.timestamp),
    sequence: -1,
    key: bytesForm(record.key),
    value: bytesForm(record.value),
    headers: record.headers,
  }))
}

describe.each(logs)('%s', (log) => {
  const bytes = readFileSync(golden(log))
  const expected = JSON.parse(readFileSync(golden(`expected/${log}.json`), 'utf8')) as GoldenBatch[]

  test('is read as Kafka reads it', () => {
    const actual = readAll(bytes, expected).map((batch) => ({
      position: batch.position,
      sizeInBytes: batch.sizeInBytes,
      magic: batch.magic,
      lastOffset: String(batch.offset),
      codec: batch.codec,
      timestampType: batch.timestampType,
      maxTimestamp: String(batch.maxTimestamp),
      crc: batch.crc,
      records: recordForm(batch),
    }))
    expect(actual.length).toBeGreaterThan(0)
    expect(actual).toEqual(
      expected
        .filter(({ magic }) => magic < 2)
        .map(
          ({
            position,
            sizeInBytes,
            magic,
            lastOffset,
            codec,
            timestampType,
            maxTimestamp,
            crc,
            records,
          }) => ({
            position,
            sizeInBytes,
            magic,
            lastOffset,
            codec,
            timestampType,
            maxTimestamp,
            crc,
            records,
          }),
        ),
    )
  })

  test('has sound checksums, which any changed byte makes unsound', () => {
    for (const batch of readAll(bytes, expected)) {
      expect(isLegacyCrcValid(batch)).toBe(true)
      const unnoticed: number[] = []
      const step = Math.ceil(batch.sizeInBytes / 300)
      // From the checksum on; another magic (byte 16) would move the fields.
      for (let at = 12; at < batch.sizeInBytes; at += at === 15 ? 2 : at < 40 ? 1 : step) {
        const changed = Buffer.from(batch.bytes)
        changed[at]! ^= 1
        if (isLegacyCrcValid(readLegacyBatch(changed, 0, changed.length))) unnoticed.push(at)
      }
      expect(unnoticed).toEqual([])
    }
  })

  test('is read as batches', async () => {
    const batches = [...recordBatches(bytes)]
    expect(batches).toHaveLength(expected.length)
    for (const [n, batch] of batches.entries()) {
      if (n % 2 === 0) await batch.load()
      const { baseOffset, lastOffset, records } = expected[n]!
      expect(String(batch.baseOffset)).toBe(baseOffset)
      expect(String(batch.lastOffset)).toBe(lastOffset)
      expect(batch.count).toBe(records.length)
      expect(batch.isValid()).toBe(true)
      expect([...batch.records()].map(({ offset }) => String(offset))).toEqual(
        records.map(({ offset }) => offset),
      )
      expect(batch).toMatchObject({
        producerId: -1n,
        partitionLeaderEpoch: -1,
        isControl: false,
        deleteHorizonMs: null,
      })
    }
  })
})

test('every codec and both magics are there', () => {
  expect(logs.length).toBeGreaterThanOrEqual(15)
})
