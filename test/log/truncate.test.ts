import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { planTruncation } from '../../lib/log/truncate.js'
import { numbered, testLog, values } from '../support/log.js'

describe('truncateTo', () => {
  test('drops records from an offset on, and the next append goes there', async () => {
    const log = await testLog()
    for (let n = 0; n < 5; n++) log.append(numbered(2, n * 2))
    expect(await log.truncateTo(6)).toBe(true)
    expect(log.offsets).toMatchObject({ logEndOffset: 6n, highWatermark: 6n, durableOffset: 0n })
    expect(log.append([{ value: 'new' }]).baseOffset).toBe(6n)
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'new'])
  })

  test('in the middle of a batch drops the whole batch, and leaves a gap', async () => {
    const log = await testLog()
    log.append(numbered(2))
    log.append(numbered(4, 2))
    await log.truncateTo(4)
    expect(log.offsets.logEndOffset).toBe(4n)
    expect(log.append([{ value: 'new' }]).baseOffset).toBe(4n)
    expect(await values(log.read())).toEqual(['v0', 'v1', 'new'])
  })

  test('known fault 43: removes whole segments and leaves none of their files live', async () => {
    const log = await testLog({ config: { internalSegmentBytes: 400 } })
    while (log.segments.length < 4) log.append(numbered(2, Number(log.offsets.logEndOffset)))
    const second = log.segments[1]?.baseOffset as bigint
    await log.truncateTo(second + 1n)
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, second])
    const live = readdirSync(log.path).filter((name) => /\.(log|index|timeindex)$/.test(name))
    expect(live).toHaveLength(6)
    log.append(numbered(2, 100))
    expect((await values(log.read({ from: second }))).at(-1)).toBe('v101')
  })

  test('known fault 4: to the base offset of the active segment leaves it empty and ready', async () => {
    const log = await testLog()
    log.append(numbered(2))
    log.roll()
    log.append(numbered(2, 2))
    await log.truncateTo(2)
    expect(log.segments.map(({ baseOffset, sizeInBytes }) => [baseOffset, sizeInBytes])).toEqual([
      [0n, expect.any(Number)],
      [2n, 0],
    ])
    for (let n = 0; n < 3; n++) log.append(numbered(1, 2 + n))
    log.roll()
    log.append(numbered(1, 5))
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5'])
  })

  test('to zero empties the log', async () => {
    const log = await testLog()
    log.append(numbered(2))
    await log.truncateTo(0)
    expect(log.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 0n })
    expect(await values(log.read())).toEqual([])
  })

  test('at or above the end changes nothing', async () => {
    const log = await testLog()
    log.append(numbered(2))
    expect(await log.truncateTo(2)).toBe(false)
    expect(await log.truncateTo(99)).toBe(false)
    expect(log.offsets.logEndOffset).toBe(2n)
  })

  test('known fault 61: takes leader epochs back that begin at the end or behind', async () => {
    const log = await testLog()
    log.append(numbered(2), { leaderEpoch: 1 })
    log.append(numbered(2), { leaderEpoch: 5 })
    await log.truncateTo(2)
    expect(log.leaderEpochs).toEqual([{ epoch: 1, startOffset: 0n }])
  })

  test('forgets the largest timestamp that it cut off', async () => {
    const log = await testLog({ config: { indexIntervalBytes: 0 } })
    for (const timestamp of [10, 50, 20, 99]) log.append([{ value: 'x', timestamp }])
    await log.truncateTo(3)
    expect(await log.offsetForMaxTimestamp()).toEqual({ offset: 1n, timestamp: 50n })
    await log.truncateTo(1)
    expect(await log.offsetForMaxTimestamp()).toEqual({ offset: 0n, timestamp: 10n })
  })

  test('refuses appends meanwhile, and survives a reopen', async () => {
    const log = await testLog()
    log.append(numbered(4))
    log.append(numbered(4, 4))
    const truncating = log.truncateTo(4)
    expect(() => log.append([{ value: 'x' }])).toThrowError(
      expect.objectContaining({ code: 'ERR_OFFSET_CONFLICT' }),
    )
    await truncating
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.offsets).toMatchObject({ logEndOffset: 4n, recoveryPoint: 4n })
  })

  test('readers at work see the old end or the new, never bytes of neither', async () => {
    const log = await testLog()
    for (let n = 0; n < 200; n++) log.append(numbered(5, n * 5))
    const reading = values(log.read())
    await log.truncateTo(500)
    const seen = await reading.catch((error) => error.code as string)
    if (seen !== 'ERR_OFFSET_OUT_OF_RANGE') {
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => `v${n}`))
    }
  })

  test('the plan removes the highest segment first', () => {
    const segments = [0n, 10n, 20n, 30n].map((baseOffset) => ({ baseOffset })) as never
    const plan = planTruncation(segments, 10n)
    expect(plan.remove.map(({ baseOffset }) => baseOffset)).toEqual([30n, 20n])
    expect(plan.keep.map(({ baseOffset }) => baseOffset)).toEqual([0n, 10n])
  })
})

describe('deleteRecordsBefore', () => {
  test('raises the start, keeps it over a reopen, never beyond the high watermark', async () => {
    const log = await testLog()
    log.append(numbered(10))
    expect(await log.deleteRecordsBefore(5)).toBe(5n)
    expect(await log.deleteRecordsBefore(3)).toBe(5n)
    await expect(log.deleteRecordsBefore(11)).rejects.toMatchObject({ code: 'ERR_OFFSET_OUT_OF_RANGE' })
    expect(await values(log.read())).toEqual(['v5', 'v6', 'v7', 'v8', 'v9'])
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.offsets.logStartOffset).toBe(5n)
    expect(await again.deleteRecordsBefore(-1)).toBe(10n)
    expect(await values(again.read())).toEqual([])
  })
})

describe('truncateTo into a batch, and the start raised behind what is left', () => {
  test.each([['before'], ['after']])('with deleteRecordsBefore %s it opens again', async (order) => {
    const log = await testLog()
    log.append(numbered(10))
    if (order === 'before') await log.deleteRecordsBefore(4)
    await log.truncateTo(5)
    await log.deleteRecordsBefore(5)
    expect(log.offsets).toMatchObject({ logStartOffset: 5n, logEndOffset: 5n })
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.offsets).toMatchObject({ logStartOffset: 5n, logEndOffset: 5n })
    again.append(numbered(1, 5))
    expect(await values(again.read())).toEqual(['v5'])
  })
})

test('look-ups by time during a truncation find the old answer or the new, never damage', async () => {
  const log = await testLog({ config: { indexIntervalBytes: 0 } })
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < 30; n++) log.append(numbered(1, n, 1_000 + n))
    const truncating = log.truncateTo(10)
    const found = await Promise.all([log.offsetForTimestamp(1_005), log.offsetForMaxTimestamp()])
    await truncating
    expect(found[0]).toEqual({ offset: 5n, timestamp: 1_005n })
    expect([1_009n, 1_029n]).toContain(found[1]?.timestamp)
  }
})

test('a follower goes on where it was after a truncation, whatever size the new batches have', async () => {
  const log = await testLog()
  for (let n = 0; n < 4; n++) log.append([{ value: `old${n}` }])
  const follower = log.read({ follow: true })[Symbol.asyncIterator]()
  const next = async () => String((await follower.next()).value?.value)
  expect([await next(), await next(), await next(), await next()]).toEqual(['old0', 'old1', 'old2', 'old3'])
  await log.truncateTo(1)
  for (let n = 1; n < 6; n++) log.append([{ value: `new${n}`.padEnd(500, '.') }])
  expect((await next()).replaceAll('.', '')).toBe('new4')
  expect((await next()).replaceAll('.', '')).toBe('new5')
  await follower.return?.()
})
