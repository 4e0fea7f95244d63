import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { testLog } from '../support/log.js'

const ROUNDS = 40

const batch = fc.record({
  times: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 6 }),
  valueBytes: fc.integer({ min: 0, max: 120 }),
  isCompressed: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
})

test('the first record of any time is found, in whichever segment and batch it is', async () => {
  await loadCodec('gzip')
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 40 }), fc.nat(), async (batches, cut) => {
      const log = await testLog({
        config: { internalSegmentBytes: 1500, indexIntervalBytes: 100, retentionMs: -1 },
      })
      const times: number[] = []
      for (const { times: own, valueBytes, isCompressed } of batches) {
        const records = own.map((timestamp) => ({ value: Buffer.alloc(valueBytes), timestamp }))
        log.append(records, { compression: isCompressed ? 'gzip' : 'none' })
        times.push(...own)
      }
      const start = cut % times.length
      await log.deleteRecordsBefore(start)
      for (let target = -1; target <= 61; target += 3) {
        const offset = times.findIndex((time, n) => n >= start && time >= target)
        const time = BigInt(times[offset] ?? 0)
        const expected = offset < 0 ? null : { offset: BigInt(offset), timestamp: time }
        expect(await log.offsetForTimestamp(target)).toEqual(expected)
      }
      await log.close()
    }),
    { numRuns: ROUNDS },
  )
})
