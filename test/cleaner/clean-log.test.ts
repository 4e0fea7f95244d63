/** One cleaning from its job to its result. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  batchesIn,
  clean,
  leftoversIn,
  makeSegments,
  NOW_MS,
  one,
  put,
  recordsIn,
} from '../support/cleaning.js'
import { tempDir } from '../support/temp-dir.js'

/** Ten updates of three keys, the last one a tombstone, in one batch as a console producer sends them. */
const TEN = [
  'user1=a1',
  'user2=b1',
  'user3=c1',
  'user1=a2',
  'user2=b2',
  'user3=c2',
  'user1=a3',
  'user2=b3',
  'user3=c3',
  'user2=',
]

test('three keys written three times and one deleted: 199 bytes become 110, and offsets stay', async () => {
  const directory = tempDir()
  const records = TEN.map((text) => {
    const [key, value] = text.split('=') as [string, string]
    return { key, value: value === '' ? null : value, timestamp: NOW_MS - 7000 }
  })
  const segments = await makeSegments(directory, [{ baseOffset: 0, batches: [put(0, records)] }])
  expect(segments[0]?.sizeInBytes).toBe(199)

  const { endOffset, counts, groups } = await clean(directory, segments, { firstUncleanableOffset: 10 })

  expect(recordsIn(directory)).toEqual(['6 user1=a3', '8 user3=c3', '9 user2=null'])
  expect(statSync(join(directory, '00000000000000000000.log')).size).toBe(110)
  expect(endOffset).toBe(10n)
  expect(counts).toMatchObject({
    mapRecordsRead: 10,
    recordsRead: 10,
    recordsWritten: 3,
    bytesRead: 199,
    bytesWritten: 110,
    keys: 3,
    slots: 1000,
  })
  expect(groups).toEqual([
    {
      inputs: [0n],
      outputs: [{ baseOffset: 0n, sizeInBytes: 110, modifiedMs: segments[0]?.modifiedMs, aborted: [] }],
    },
  ])
  expect(leftoversIn(directory)).toEqual([])
  const [batch] = batchesIn(directory)
  expect([batch?.baseOffset, batch?.lastOffset, batch?.isValid()]).toEqual([0n, 9n, true])
})

test('segments are joined, and the output has the time of the last', async () => {
  const directory = tempDir()
  const segments = await makeSegments(directory, [
    { baseOffset: 0, batches: [one(0, 'a', '1'), one(1, 'b', '1')], modifiedMs: 1_700_000_000_000 },
    { baseOffset: 2, batches: [one(2, 'a', '2')], modifiedMs: 1_700_000_111_000 },
  ])
  const { groups } = await clean(directory, segments, { firstUncleanableOffset: 3 })
  expect(groups.map(({ inputs }) => inputs)).toEqual([[0n, 2n]])
  expect(recordsIn(directory)).toEqual(['1 b=1', '2 a=2'])
  expect(statSync(join(directory, '00000000000000000000.log')).mtimeMs).toBe(1_700_000_111_000)
})
