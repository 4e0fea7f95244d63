import { expect, test } from 'vitest'
import { collect, numbered, testLog } from '../support/log.js'

test('whatever a log answers can be printed as JSON, 64-bit numbers as text', async () => {
  const log = await testLog()
  const appended = log.append(numbered(2))
  expect(JSON.parse(JSON.stringify(appended))).toEqual({ baseOffset: '0', lastOffset: '1', duplicate: false })
  expect(JSON.parse(JSON.stringify(log.offsets))).toMatchObject({ logStartOffset: '0', logEndOffset: '2' })
  expect(JSON.parse(JSON.stringify(log.segments))).toMatchObject([{ baseOffset: '0', maxTimestamp: '1001' }])
  expect(JSON.parse(JSON.stringify(log.segmentSizes))).toEqual([
    { baseOffset: '0', sizeInBytes: expect.any(Number) },
  ])
  expect(JSON.parse(JSON.stringify(log.locate(1)))).toMatchObject({
    offset: '1',
    indexEntry: { offset: '0', position: 0 },
    batch: { baseOffset: '0', lastOffset: '1' },
  })
  expect(JSON.parse(JSON.stringify(await log.offsetForTimestamp(1_001)))).toEqual({
    offset: '1',
    timestamp: '1001',
  })
  expect(JSON.parse(JSON.stringify(await collect(log.read())))).toMatchObject([
    { offset: '0', value: 'v0' },
    { offset: '1' },
  ])
})
