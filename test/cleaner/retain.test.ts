/** What becomes of a batch, and of its records. */
import { expect, test } from 'vitest'
import type { LastRecord } from '../../lib/cleaner/clean-job.js'
import { type BatchToRetain, retainBatch } from '../../lib/cleaner/retain-batch.js'
import { keepsLegacyTombstones, keepsTombstones, retainRecords } from '../../lib/cleaner/retain-record.js'
import { backendUnderTest } from '../support/backend.js'

const DATA: BatchToRetain = {
  isControl: false,
  producerId: -1n,
  producerEpoch: -1,
  lastOffset: 50n,
  deleteHorizonMs: null,
  isDiscardable: false,
}
const MARKER: BatchToRetain = { ...DATA, isControl: true, producerId: 7n, producerEpoch: 3 }
const NOW = 1000n

function retain(batch: Partial<BatchToRetain>, producers: LastRecord[] = [], highWatermark = 100n) {
  const known = new Map(producers.map((last): [bigint, LastRecord] => [last.producerId, last]))
  const context = { producers: known, highWatermark, nowMs: NOW }
  const { whenEmpty, discardsRecords, isMarkerOfNothing } = retainBatch({ ...DATA, ...batch }, context)
  return [whenEmpty, discardsRecords, isMarkerOfNothing]
}

test('records decide about a data batch, unless its transaction was aborted', () => {
  expect(retain({})).toEqual(['delete-empty', false, false])
  expect(retain({ isDiscardable: true })).toEqual(['delete', true, false])
})

test('a marker of nothing goes when its horizon has come', () => {
  const marker = { ...MARKER, isDiscardable: true }
  expect(retain(MARKER)).toEqual(['delete-empty', false, false])
  expect(retain(marker)).toEqual(['delete-empty', false, true])
  expect(retain({ ...marker, deleteHorizonMs: NOW + 1n })).toEqual(['delete-empty', false, true])
  expect(retain({ ...marker, deleteHorizonMs: NOW })).toEqual(['delete', true, true])
  expect(retain({ ...MARKER, deleteHorizonMs: NOW })).toEqual(['delete-empty', false, false])
})

test('the last data batch of a producer that is known stays empty', () => {
  const last = { producerId: 7n, producerEpoch: 3, lastDataOffset: 50n }
  const own = { producerId: 7n, producerEpoch: 2 }
  expect(retain(own, [last])[0]).toBe('retain-empty')
  expect(retain({ ...own, isDiscardable: true }, [last])).toEqual(['retain-empty', true, false])
  expect(retain({ ...own, lastOffset: 49n }, [last])[0]).toBe('delete-empty')
  expect(retain({ ...own, producerId: 8n }, [last])[0]).toBe('delete-empty')
  expect(retain(MARKER, [{ ...last, lastDataOffset: 51n }])[0]).toBe('delete-empty')
  expect(retain({}, [{ ...last, producerId: -1n }])[0]).toBe('delete-empty')
})

test('of a producer of which only a marker is known the marker of its epoch stays', () => {
  const last = { producerId: 7n, producerEpoch: 3, lastDataOffset: null }
  expect(retain(MARKER, [last])[0]).toBe('retain-empty')
  expect(retain({ ...MARKER, producerEpoch: 2 }, [last])[0]).toBe('delete-empty')
  expect(retain({ ...DATA, producerId: 7n, producerEpoch: 3 }, [last])[0]).toBe('delete-empty')
})

test('the last batch of the round stays empty', () => {
  expect(retain({}, [], 51n)[0]).toBe('retain-empty')
  expect(retain({ isDiscardable: true }, [], 51n)).toEqual(['retain-empty', true, false])
})

interface Row {
  readonly offset?: bigint
  readonly key?: boolean
  readonly value?: boolean
  readonly superseded?: boolean
}

function keptOf(rows: readonly Row[], rule: { latestOffset?: bigint; keepsTombstones?: boolean } = {}) {
  const columns = backendUnderTest().records.columns(rows.length + 1)
  for (const [n, { offset = 10n, key = true, value = true, superseded = false }] of rows.entries()) {
    columns.offsets[n + 1] = offset
    columns.keySizes[n + 1] = key ? 0 : -1
    columns.valueSizes[n + 1] = value ? 0 : -1
    columns.superseded[n + 1] = superseded ? 1 : 0
  }
  const { latestOffset = null, keepsTombstones: keeps = true } = rule
  const verdict = { kept: 9, tombstones: 9, withoutKey: 9 }
  retainRecords(columns, 1, rows.length, { latestOffset, keepsTombstones: keeps }, verdict)
  return { keep: [...columns.keep.subarray(1)], ...verdict }
}

test('a record stays unless a later one has its key', () => {
  expect(keptOf([{}, { superseded: true }])).toEqual({ keep: [1, 0], kept: 1, tombstones: 0, withoutKey: 0 })
})

test('a record without a key goes, and is counted', () => {
  expect(keptOf([{ key: false }, {}])).toEqual({ keep: [0, 1], kept: 1, tombstones: 0, withoutKey: 1 })
})

test('a tombstone stays until its horizon has come', () => {
  const rows = [{ value: false }, { value: false, superseded: true }, {}]
  expect(keptOf(rows)).toEqual({ keep: [1, 0, 1], kept: 2, tombstones: 1, withoutKey: 0 })
  expect(keptOf(rows, { keepsTombstones: false })).toEqual({
    keep: [0, 0, 1],
    kept: 1,
    tombstones: 0,
    withoutKey: 0,
  })
})

test('what lies behind the end of the map stays, and its tombstones need a horizon', () => {
  const rows = [
    { offset: 5n, key: false },
    { offset: 6n, key: false },
    { offset: 7n, value: false, superseded: true },
  ]
  const kept = keptOf(rows, { latestOffset: 5n, keepsTombstones: false })
  expect(kept).toEqual({ keep: [0, 1, 1], kept: 2, tombstones: 1, withoutKey: 1 })
})

test('horizons: of a batch, and of a segment of old formats', () => {
  expect([keepsTombstones(null, 5n), keepsTombstones(6n, 5n), keepsTombstones(5n, 5n)]).toEqual([
    true,
    true,
    false,
  ])
  expect(keepsLegacyTombstones(5, undefined, 1000)).toBe(true)
  expect(keepsLegacyTombstones(501, 1500, 1000)).toBe(true)
  expect(keepsLegacyTombstones(500, 1500, 1000)).toBe(false)
})
