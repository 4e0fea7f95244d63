import { describe, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { recordBatches } from '../../lib/format/batches.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { collect, numbered, testLog, values } from '../support/log.js'

describe('read', () => {
  test('from and to, in the middle of batches', async () => {
    const log = await testLog()
    for (let n = 0; n < 10; n++) log.append(numbered(10, n * 10))
    expect(await values(log.read({ from: 15, to: 18n }))).toEqual(['v15', 'v16', 'v17'])
    expect(await values(log.read({ from: '97' }))).toEqual(['v97', 'v98', 'v99'])
    expect(await values(log.read({ from: 15, maxRecords: 2 }))).toEqual(['v15', 'v16'])
    expect(await values(log.read({ from: 'latest' }))).toEqual([])
    expect(await values(log.read({ from: 100 }))).toEqual([])
    expect(await values(log.read({ maxRecords: 0 }))).toEqual([])
  })

  test('each iteration begins anew', async () => {
    const log = await testLog()
    log.append(numbered(2))
    const read = log.read()
    expect(await values(read)).toEqual(['v0', 'v1'])
    expect(await values(read)).toEqual(['v0', 'v1'])
  })

  test('batches keep codec and offsets, and are open already', async () => {
    await Promise.all((['gzip', 'snappy', 'lz4', 'zstd'] as const).map((name) => loadCodec(name)))
    const log = await testLog()
    for (const compression of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
      log.append(numbered(50), { compression })
    }
    const batches = await collect(log.read({ from: 60 }).batches())
    expect(batches.map(({ codec, baseOffset }) => [codec, baseOffset])).toEqual([
      ['gzip', 50n],
      ['snappy', 100n],
      ['lz4', 150n],
      ['zstd', 200n],
    ])
    expect(batches.map((batch) => [...batch.records()].length)).toEqual([50, 50, 50, 50])
  })

  test('an offset outside the log is refused, with the log’s bounds', async () => {
    const log = await testLog()
    log.append(numbered(3))
    for (const from of [-1n, 4n, 2n ** 62n]) {
      await expect(collect(log.read({ from }))).rejects.toMatchObject({
        code: 'ERR_OFFSET_OUT_OF_RANGE',
        offset: from,
        logStartOffset: 0n,
        logEndOffset: 3n,
      })
    }
    await log.deleteRecordsBefore(2)
    await expect(collect(log.read({ from: 1 }))).rejects.toMatchObject({ code: 'ERR_OFFSET_OUT_OF_RANGE' })
    expect(await values(log.read({ from: 1, onOutOfRange: 'earliest' }))).toEqual(['v2'])
    expect(await values(log.read())).toEqual(['v2'])
  })

  test('known fault 128: by time: the first record in offset order, also where times fall', async () => {
    const log = await testLog({ config: { indexIntervalBytes: 0 } })
    for (const timestamp of [10, 30, 20, 5, 40, 40]) log.append([{ value: `t${timestamp}`, timestamp }])
    expect(await log.offsetForTimestamp(20)).toEqual({ offset: 1n, timestamp: 30n })
    expect(await log.offsetForTimestamp(31)).toEqual({ offset: 4n, timestamp: 40n })
    expect(await log.offsetForTimestamp(41)).toBeNull()
    expect(await log.offsetForTimestamp(-1)).toEqual({ offset: 0n, timestamp: 10n })
    expect(await log.offsetForMaxTimestamp()).toEqual({ offset: 4n, timestamp: 40n })
    expect(await values(log.read({ from: { timestamp: 31 } }))).toEqual(['t40', 't40'])
    expect(await values(log.read({ from: { timestamp: 99 } }))).toEqual([])
  })

  test('by time: into a batch, and not below the log start offset', async () => {
    const log = await testLog()
    log.append([10, 30, 20].map((timestamp) => ({ value: 'x', timestamp })))
    expect(await log.offsetForMaxTimestamp()).toEqual({ offset: 1n, timestamp: 30n })
    await log.deleteRecordsBefore(2)
    expect(await log.offsetForTimestamp(10)).toEqual({ offset: 2n, timestamp: 20n })
    expect(await log.offsetForTimestamp(25)).toBeNull()
  })

  test('reads over a gap of offsets and over segments', async () => {
    const log = await testLog()
    log.append(numbered(1))
    log.appendBatches(encodeBatch([{ value: 'far' }], { baseOffset: 5_000_000_000n }), { origin: 'follower' })
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 5_000_000_000n])
    expect((await collect(log.read({ from: 1 }))).map(({ offset }) => offset)).toEqual([5_000_000_000n])
    expect(log.locate(1).batch).toMatchObject({ baseOffset: 5_000_000_000n })
  })
})

describe('fetch', () => {
  test('gives whole batches, never none while there are some, within maxBytes', async () => {
    const log = await testLog()
    for (let n = 0; n < 5; n++) log.append(numbered(3, n * 3))
    const size = (log.locate(0).batch?.sizeInBytes ?? 0) * 2
    const chunk = await log.fetch(4, { maxBytes: size + 10 })
    expect([...recordBatches(chunk.batches)].map(({ baseOffset }) => baseOffset)).toEqual([3n, 6n])
    expect(chunk).toMatchObject({
      nextOffset: 9n,
      logStartOffset: 0n,
      highWatermark: 15n,
      abortedTransactions: [],
    })
    expect((await log.fetch(4, { maxBytes: 1 })).nextOffset).toBe(6n)
    expect((await log.fetch(4, { maxBytes: 1, minOneBatch: false })).batches).toHaveLength(0)
    expect((await log.fetch(15)).batches).toHaveLength(0)
    expect(log.fetchSync(4, { maxBytes: size + 10 })).toEqual(chunk)
  })

  test('stops at the high watermark that a host owns', async () => {
    const log = await testLog({ highWatermark: 'manual' })
    for (let n = 0; n < 3; n++) log.append(numbered(2, n * 2))
    expect((await log.fetch(0)).batches).toHaveLength(0)
    log.setHighWatermark(2)
    expect(await values(log.read())).toEqual(['v0', 'v1'])
    expect(() => log.setHighWatermark(7)).toThrowError(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }))
    expect(() => log.setHighWatermark(1)).toThrowError(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }))
    log.setHighWatermark(6)
    expect(await values(log.read())).toHaveLength(6)
  })

  test('a log that moves its high watermark itself does not let a host', async () => {
    const log = await testLog()
    expect(() => log.setHighWatermark(0)).toThrowError(expect.objectContaining({ code: 'ERR_UNSUPPORTED' }))
  })

  test('an aborted signal ends it', async () => {
    const log = await testLog()
    await expect(log.fetch(0, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('follow', () => {
  test('is woken by appends, over a roll, and ends with the signal', async () => {
    const log = await testLog()
    const abort = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const { value } of log.read({ follow: true, signal: abort.signal })) {
        seen.push(String(value))
        if (seen.length === 3) abort.abort()
      }
    })()
    log.append(numbered(1))
    log.roll()
    log.append(numbered(2, 1))
    await expect(following).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen).toEqual(['v0', 'v1', 'v2'])
  })

  test('ends by maxRecords and by to', async () => {
    const log = await testLog()
    const reading = Promise.all([
      values(log.read({ follow: true, maxRecords: 2 })),
      values(log.read({ follow: true, to: 3 })),
    ])
    for (let n = 0; n < 4; n++) log.append(numbered(1, n))
    expect(await reading).toEqual([
      ['v0', 'v1'],
      ['v0', 'v1', 'v2'],
    ])
  })

  test('fails when the log is closed', async () => {
    const log = await testLog()
    const following = collect(log.read({ follow: true }))
    const outcome = expect(following).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await log.close()
    await outcome
  })

  test('with durable: shows nothing that is not on disk', async () => {
    const log = await testLog()
    const reading = (async () => {
      for await (const { offset } of log.read({ follow: true, durable: true, maxRecords: 20 })) {
        expect(log.offsets.durableOffset).toBeGreaterThan(offset)
      }
    })()
    for (let n = 0; n < 20; n++) {
      log.append(numbered(1, n))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await reading
  })
})
