/** Transactions while a log is read. */
import { expect, test } from 'vitest'
import { abortedWithin } from '../../lib/cleaner/aborted-within.js'
import { TransactionFilter } from '../../lib/cleaner/transaction-filter.js'
import { aborted } from '../support/cleaning.js'

test('batches of an aborted transaction can go, those of others cannot', () => {
  const filter = new TransactionFilter()
  filter.add([aborted(7, 10, 20)])
  expect(filter.onBatch(7n, 9n)).toBe(false)
  expect(filter.onBatch(7n, 10n)).toBe(true)
  expect(filter.onBatch(8n, 11n)).toBe(false)
  expect(filter.onControlBatch(7n, 20n, 'ABORT')).toBe(false)
  expect(filter.onBatch(7n, 21n)).toBe(false)
})

test('a marker can go where no batch of its transaction was seen', () => {
  const filter = new TransactionFilter()
  filter.add([aborted(7, 0, 5)])
  expect(filter.onControlBatch(7n, 5n, 'ABORT')).toBe(true)
  expect(filter.onControlBatch(8n, 6n, 'COMMIT')).toBe(true)
  filter.onBatch(8n, 7n)
  expect(filter.onControlBatch(8n, 8n, 'COMMIT')).toBe(false)
  expect(filter.onControlBatch(8n, 9n, 'COMMIT')).toBe(true)
  expect(filter.takeKept()).toEqual([])
})

test('an abort marker that no entry tells of can go', () => {
  const filter = new TransactionFilter()
  filter.onBatch(7n, 0n)
  expect(filter.onControlBatch(7n, 1n, 'ABORT')).toBe(true)
})

test('an empty control batch can go, one of another kind stays', () => {
  const filter = new TransactionFilter()
  expect(filter.onControlBatch(7n, 0n, undefined)).toBe(true)
  expect(filter.onControlBatch(-1n, 1n, 'LEADER_CHANGE')).toBe(false)
  expect(filter.onControlBatch(-1n, 2n, 'UNKNOWN')).toBe(false)
})

test('the entry of an aborted transaction is kept with its marker, once', () => {
  const filter = new TransactionFilter()
  const entries = [aborted(7, 0, 5), aborted(7, 6, 9), aborted(8, 1, 7)]
  filter.add(entries.toReversed())
  // Told of again with the next segment that it touches.
  filter.add([aborted(8, 1, 7)])
  for (const offset of [0n, 2n]) filter.onBatch(7n, offset)
  filter.onBatch(8n, 3n)
  filter.onControlBatch(7n, 5n, 'ABORT')
  expect(filter.takeKept()).toEqual([entries[0]])
  filter.onBatch(7n, 6n)
  filter.onControlBatch(8n, 7n, 'ABORT')
  filter.onControlBatch(7n, 9n, 'ABORT')
  expect(filter.takeKept()).toEqual([entries[2], entries[1]])
})

const entry = (firstOffset: number, lastOffset: number, lastStableOffset: number) => ({
  ...aborted(1, firstOffset, lastOffset),
  lastStableOffset: BigInt(lastStableOffset),
})

const segment = (baseOffset: number, entries: ReturnType<typeof entry>[]) => ({
  baseOffset: BigInt(baseOffset),
  sizeInBytes: 1,
  modifiedMs: 0,
  indexBytes: 0,
  timeIndexBytes: 0,
  aborted: entries,
})

test('entries are looked for from the segment that holds the offset on, until none can begin before the end', () => {
  const before = entry(0, 5, 3)
  const across = entry(2, 12, 6)
  const within = entry(13, 14, 15)
  const behind = entry(18, 35, 36)
  const never = entry(1, 40, 41)
  const job = {
    segments: [segment(0, [before]), segment(10, [across, within]), segment(20, [])],
    abortedBehind: [behind, never],
  }
  expect(abortedWithin(job, 10n, 20n)).toEqual([across, within, behind])
  expect(abortedWithin(job, 0n, 10n)).toEqual([before, across])
  expect(abortedWithin(job, 15n, 18n)).toEqual([])
})
