import { describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { CodecName } from '../../lib/format/compression.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { collect, numbered, testLog, values } from '../support/log.js'

describe('append', () => {
  test('gives offsets and makes records readable at once', async () => {
    const log = await testLog()
    expect(log.append(numbered(3))).toMatchObject({ baseOffset: 0n, lastOffset: 2n, duplicate: false })
    expect(log.append(numbered(2, 3))).toMatchObject({ baseOffset: 3n, lastOffset: 4n })
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2', 'v3', 'v4'])
    expect(log.offsets).toMatchObject({ logStartOffset: 0n, highWatermark: 5n, logEndOffset: 5n })
  })

  test('known fault 160: keeps null and empty apart, and headers in order', async () => {
    const log = await testLog()
    const headers = [
      { key: 'a', value: 'x' },
      { key: 'a', value: null },
      { key: '', value: new Uint8Array() },
    ]
    log.append([
      { key: null, value: null },
      { key: '', value: '', headers },
    ])
    const [first, second] = await collect(log.read())
    expect([first?.key, first?.value, first?.headers]).toEqual([null, null, []])
    expect([second?.key?.length, second?.value?.length]).toEqual([0, 0])
    expect(second?.headers.map(({ key, value }) => [key, value?.toString() ?? null])).toEqual([
      ['a', 'x'],
      ['a', null],
      ['', ''],
    ])
  })

  test('known fault 209: does not keep the caller’s bytes', async () => {
    const log = await testLog()
    const value = Buffer.from('before')
    log.append([{ value }])
    value.fill('x')
    expect(await values(log.read())).toEqual(['before'])
  })

  test('LogAppendTime gives every record the time of the append', async () => {
    const log = await testLog({ config: { messageTimestampType: 'LogAppendTime' } })
    log.append(numbered(2, 0, 5))
    const [first, second] = await collect(log.read())
    expect(first?.timestampType).toBe('LogAppendTime')
    expect(Math.abs(Number(first?.timestamp) - Date.now())).toBeLessThan(60_000)
    expect(second?.timestamp).toBe(first?.timestamp)
  })

  test('a timestamp of -1 stays -1 and moves no index', async () => {
    const log = await testLog({ config: { indexIntervalBytes: 0 } })
    for (let n = 0; n < 5; n++) log.append([{ value: 'x', timestamp: -1 }])
    expect((await collect(log.read())).every(({ timestamp }) => timestamp === -1n)).toBe(true)
    expect(log.segments[0]).toMatchObject({ offsetIndexEntries: 4, timeIndexEntries: 0, maxTimestamp: -1n })
    expect(await log.offsetForMaxTimestamp()).toBeNull()
  })

  test('writes the leader epoch and notes where it began', async () => {
    const log = await testLog()
    log.append([{ value: 'a' }])
    log.append([{ value: 'b' }], { leaderEpoch: 3 })
    log.append([{ value: 'c' }])
    const epochs = (await collect(log.read().batches())).map(
      ({ partitionLeaderEpoch }) => partitionLeaderEpoch,
    )
    expect(epochs).toEqual([0, 3, 3])
    expect(log.leaderEpochs).toEqual([
      { epoch: 0, startOffset: 0n },
      { epoch: 3, startOffset: 1n },
    ])
  })
})

describe('append refuses, and leaves the log as it was', () => {
  const refusals: [name: string, config: LogConfigInput, records: unknown, options: object, code: string][] =
    [
      ['no records', {}, [], {}, 'ERR_INVALID_BATCH'],
      ['something that is no array', {}, 'records', {}, 'ERR_INVALID_ARG_TYPE'],
      ['a record that is none', {}, [null], {}, 'ERR_INVALID_ARG_TYPE'],
      ['a forgotten value', {}, [{ key: 'k' }], {}, 'ERR_INVALID_ARG_TYPE'],
      ['a number as value', {}, [{ value: 5 }], {}, 'ERR_INVALID_ARG_TYPE'],
      ['a header without key', {}, [{ value: 'v', headers: [{ value: 'x' }] }], {}, 'ERR_INVALID_ARG_TYPE'],
      ['a fractional timestamp', {}, [{ value: 'v', timestamp: 1.5 }], {}, 'ERR_OUT_OF_RANGE'],
      ['a timestamp below -1', {}, [{ value: 'v', timestamp: -2 }], {}, 'ERR_OUT_OF_RANGE'],
      [
        'a batch above max.message.bytes',
        { maxMessageBytes: 100 },
        [{ value: 'v'.repeat(101) }],
        {},
        'ERR_BATCH_TOO_LARGE',
      ],
      [
        'a batch above segment.bytes',
        { internalSegmentBytes: 500, maxMessageBytes: 2 ** 20 },
        [{ value: 'v'.repeat(500) }],
        {},
        'ERR_BATCH_TOO_LARGE',
      ],
      [
        'a record without key where the policy compacts',
        { cleanupPolicy: ['compact'] },
        [{ key: 'k', value: 'v' }, { value: 'v' }],
        {},
        'ERR_KEY_REQUIRED',
      ],
      [
        'a time too far ahead',
        {},
        [{ value: 'v', timestamp: Date.now() + 3_700_000 }],
        {},
        'ERR_TIMESTAMP_OUT_OF_BOUNDS',
      ],
      [
        'a time too far behind',
        { messageTimestampBeforeMaxMs: 1_000 },
        [{ value: 'v' }, { value: 'v', timestamp: 0 }],
        {},
        'ERR_TIMESTAMP_OUT_OF_BOUNDS',
      ],
      [
        'another next offset than expected',
        {},
        [{ value: 'v' }],
        { expectedNextOffset: 7n },
        'ERR_OFFSET_CONFLICT',
      ],
      [
        'a negative producer epoch',
        {},
        [{ value: 'v' }],
        { producer: { id: 1, epoch: -1, baseSequence: 0 } },
        'ERR_OUT_OF_RANGE',
      ],
      ['a codec that is none', {}, [{ value: 'v' }], { compression: 'brotli' }, 'ERR_OUT_OF_RANGE'],
    ]

  test.each(refusals)('%s', async (_, config, records, options, code) => {
    const log = await testLog({ config })
    log.append([{ key: 'first', value: 'v' }])
    const before = log.segments
    expect(() => log.append(records as never, options)).toThrowError(expect.objectContaining({ code }))
    expect(log.segments).toEqual(before)
    expect(log.offsets.logEndOffset).toBe(1n)
    expect(log.append([{ key: 'next', value: 'v' }])).toMatchObject({ baseOffset: 1n })
  })

  test('names the record that is to blame', async () => {
    const log = await testLog({ config: { cleanupPolicy: ['compact'] } })
    expect(() => log.append([{ key: 'k', value: 'v' }, { value: 'v' }])).toThrowError(
      expect.objectContaining({ recordIndex: 1 }),
    )
  })
})

describe('appendBatches', () => {
  test('as leader: assigns offsets and sets a checksum that holds', async () => {
    const log = await testLog()
    log.append([{ value: 'a' }])
    const batch = encodeBatch(numbered(2))
    expect(log.appendBatches(batch, { origin: 'leader', leaderEpoch: 4 })).toMatchObject({
      baseOffset: 1n,
      lastOffset: 2n,
    })
    const [, stored] = await collect(log.read().batches())
    expect(stored).toMatchObject({ baseOffset: 1n, partitionLeaderEpoch: 4 })
    expect(stored?.isValid()).toBe(true)
  })

  test('as leader: refuses two batches, offsets above 0, damage and rubbish', async () => {
    const log = await testLog()
    const batch = encodeBatch(numbered(2))
    const flipped = Buffer.from(batch)
    flipped[70] = (flipped[70] as number) ^ 1
    const refused = [
      Buffer.concat([batch, batch]),
      encodeBatch(numbered(1), { baseOffset: 1n }),
      flipped,
      Buffer.concat([batch, Buffer.from('x')]),
    ]
    for (const bytes of refused) {
      expect(() => log.appendBatches(bytes, { origin: 'leader' })).toThrowError(
        expect.objectContaining({ code: 'ERR_INVALID_BATCH' }),
      )
    }
    expect(log.offsets.logEndOffset).toBe(0n)
  })

  test('as leader: compression.type of the log wins over the producer’s', async () => {
    const log = await testLog({ config: { compressionType: 'gzip' } })
    log.appendBatches(encodeBatch(numbered(20)), { origin: 'leader' })
    const [batch] = await collect(log.read().batches())
    expect(batch?.codec).toBe('gzip')
    expect(await values(log.read())).toHaveLength(20)
  })

  test('known faults, area 17: as leader: max.decompressed.message.bytes bounds the records of a compressed batch, to the byte', async () => {
    const log = await testLog()
    const batch = (compression: CodecName) =>
      encodeBatch(
        [
          { value: 'a', timestamp: 5 },
          { value: 'v'.repeat(50), timestamp: 5 },
        ],
        { compression },
      )
    const append = (compression: CodecName) =>
      log.appendBatches(batch(compression), { origin: 'leader' })?.baseOffset
    // Attributes, timestamp, offset, null key, length and 50 bytes of value, no headers.
    await log.updateConfig({ maxDecompressedMessageBytes: 56 })
    expect(append('gzip')).toBe(0n)
    await log.updateConfig({ maxDecompressedMessageBytes: 55 })
    expect(() => append('gzip')).toThrow(expect.objectContaining({ code: 'ERR_INVALID_BATCH' }))
    expect(() => append('gzip')).toThrow(/record 1 has 56 bytes, 55 are allowed/)
    expect(append('none')).toBe(2n)
    // What is there can still be read.
    expect(await values(log.read())).toHaveLength(4)
  })

  test('as follower: keeps offsets, gaps and epochs', async () => {
    const log = await testLog()
    const bytes = Buffer.concat([
      encodeBatch(numbered(2), { baseOffset: 5n, partitionLeaderEpoch: 1 }),
      encodeBatch(numbered(1), { baseOffset: 100n, partitionLeaderEpoch: 2 }),
    ])
    expect(log.appendBatches(bytes, { origin: 'follower' })).toMatchObject({
      baseOffset: 5n,
      lastOffset: 100n,
      appendedBytes: bytes.length,
      rejected: null,
    })
    expect((await collect(log.read())).map(({ offset }) => offset)).toEqual([5n, 6n, 100n])
    expect(log.leaderEpochs.map(({ epoch }) => epoch)).toEqual([1, 2])
  })

  test('known fault 49: as follower: takes the whole batches of a cut end, and none of a newer epoch', async () => {
    const log = await testLog()
    const whole = encodeBatch(numbered(2), { baseOffset: 0n })
    const cut = Buffer.concat([whole, encodeBatch(numbered(1), { baseOffset: 2n }).subarray(0, 50)])
    expect(log.appendBatches(cut, { origin: 'follower' })?.rejected).toEqual({
      position: whole.length,
      reason: 'cut-short',
    })
    const newer = encodeBatch(numbered(1), { baseOffset: 2n, partitionLeaderEpoch: 9 })
    expect(log.appendBatches(newer, { origin: 'follower', leaderEpoch: 8 })).toBeNull()
    expect(log.offsets.logEndOffset).toBe(2n)
  })

  test('as follower: refuses offsets that fall, before anything is written', async () => {
    const log = await testLog()
    log.append(numbered(3))
    const below = encodeBatch(numbered(1), { baseOffset: 2n })
    expect(() => log.appendBatches(below, { origin: 'follower' })).toThrowError(
      expect.objectContaining({ code: 'ERR_OFFSET_CONFLICT' }),
    )
    const falling = Buffer.concat([
      encodeBatch(numbered(2), { baseOffset: 10n }),
      encodeBatch(numbered(1), { baseOffset: 11n }),
    ])
    expect(() => log.appendBatches(falling, { origin: 'follower' })).toThrowError(
      expect.objectContaining({ code: 'ERR_INVALID_BATCH' }),
    )
    expect(log.offsets.logEndOffset).toBe(3n)
  })

  test('as follower: does not look at what follows a newer epoch', async () => {
    const log = await testLog()
    const known = encodeBatch(numbered(1), { baseOffset: 0n, partitionLeaderEpoch: 1 })
    const newer = encodeBatch(numbered(1), { baseOffset: 1n, partitionLeaderEpoch: 2 })
    newer[newer.length - 1] = (newer.at(-1) as number) ^ 1
    const bytes = Buffer.concat([known, newer])
    expect(log.appendBatches(bytes, { origin: 'follower', leaderEpoch: 1 })).toMatchObject({
      lastOffset: 0n,
      rejected: { position: known.length, reason: 'newer-epoch' },
    })
  })

  test('as follower: tells that offsets fall before it tells that they are below the end', async () => {
    const log = await testLog()
    log.append(numbered(3))
    const both = Buffer.concat([
      encodeBatch(numbered(1), { baseOffset: 1n }),
      encodeBatch(numbered(1), { baseOffset: 0n }),
    ])
    expect(() => log.appendBatches(both, { origin: 'follower' })).toThrowError(
      expect.objectContaining({ code: 'ERR_INVALID_BATCH' }),
    )
  })

  test('as follower: a batch above segment.bytes gets a segment of its own', async () => {
    const log = await testLog({ config: { internalSegmentBytes: 300 } })
    log.append([{ value: 'small' }])
    log.appendBatches(encodeBatch([{ value: 'v'.repeat(1_000) }], { baseOffset: 1n }), { origin: 'follower' })
    log.append([{ value: 'small' }])
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 1n, 2n])
    expect(await values(log.read())).toHaveLength(3)
  })
})
