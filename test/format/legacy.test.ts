import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { PartitionLogError } from '../../lib/errors.js'
import { DEFAULT_BATCH_LIMITS } from '../../lib/format/batch.js'
import { isCodecLoaded, loadedCodec } from '../../lib/format/compression.js'
import { isLegacyCrcValid, readLegacyBatch } from '../../lib/format/legacy.js'
import { LegacyRecordBatch } from '../../lib/format/legacy-record-batch.js'
import { legacyRecords, openMessageSetAsync } from '../../lib/format/legacy-records.js'
import { noise, ourError } from '../support/codecs.js'
import { int32, int64, type MessageParts, message } from '../support/legacy-bytes.js'
import { fcOptions } from '../support/random.js'

const GZIP = 1
const LZ4 = 3
const LOG_APPEND_TIME = 8

await Promise.all((['gzip', 'lz4'] as const).map(loadCodec))

/** The only entry of `bytes`. */
function read(bytes: Uint8Array) {
  return readLegacyBatch(bytes, 0, bytes.length)
}

function records(bytes: Uint8Array) {
  return legacyRecords(read(bytes), DEFAULT_BATCH_LIMITS)
}

/** A gzip wrapper of `inner` messages (or of any bytes). */
function wrapper(inner: readonly Uint8Array[], parts: MessageParts = {}): Buffer {
  const value = loadedCodec('gzip').compress(Buffer.concat(inner))
  return message({ value, ...parts, attributes: GZIP | (parts.attributes ?? 0) })
}

const key = Buffer.from('key')
const value = Buffer.from('value')

describe('an entry', () => {
  test('of magic 1', () => {
    const bytes = message({ offset: 7n, timestamp: 123n, key, value })
    const batch = read(bytes)
    expect(batch).toMatchObject({
      position: 0,
      sizeInBytes: 12 + 22 + 8,
      magic: 1,
      offset: 7n,
      attributes: 0,
    })
    expect(batch).toMatchObject({ codec: 'none', timestampType: 'CreateTime', maxTimestamp: 123n })
    expect(isLegacyCrcValid(batch)).toBe(true)
    expect(records(bytes).map((record) => record.toJSON())).toEqual([
      { offset: '7', timestamp: '123', timestampType: 'CreateTime', key: 'key', value: 'value', headers: [] },
    ])
  })

  test('of magic 0, which knows no time', () => {
    const batch = read(message({ magic: 0, offset: 5n, attributes: LOG_APPEND_TIME, value }))
    expect(batch).toMatchObject({
      magic: 0,
      sizeInBytes: 12 + 14 + 5,
      timestampType: 'NoTimestampType',
      maxTimestamp: -1n,
    })
    const [record] = legacyRecords(batch, DEFAULT_BATCH_LIMITS)
    expect(record).toMatchObject({ offset: 5n, timestamp: -1n, timestampType: 'NoTimestampType', key: null })
    expect(record!.value!.toString()).toBe('value')
  })

  test('tells null from empty', () => {
    const [one] = records(message({ key: Buffer.alloc(0), value: null }))
    expect([one!.key?.length, one!.value]).toEqual([0, null])
    const [other] = records(message({ key: null, value: Buffer.alloc(0) }))
    expect([other!.key, other!.value?.length]).toEqual([null, 0])
  })

  test('with LogAppendTime', () => {
    const bytes = message({ attributes: LOG_APPEND_TIME, timestamp: 9n })
    expect(records(bytes)[0]).toMatchObject({ timestamp: 9n, timestampType: 'LogAppendTime' })
  })

  test('inside of other bytes is read in its place, and only within the end', () => {
    const bytes = message({ offset: 3n, key, value })
    const whole = Buffer.concat([noise(11), bytes, noise(20)])
    expect(readLegacyBatch(whole, 11, whole.length)).toMatchObject({
      position: 11,
      offset: 3n,
      sizeInBytes: bytes.length,
    })
    expect(readLegacyBatch(Uint8Array.from(whole), 11, 11 + bytes.length).bytes.equals(bytes)).toBe(true)
    for (let end = 0; end < 11 + bytes.length; end++) {
      const error = ourError(() => readLegacyBatch(whole, 11, end))
      expect(error).toMatchObject({ code: 'ERR_INVALID_BATCH', position: 11 })
    }
  })

  test.each([
    ['a length below the least of magic 0', message({ magic: 0 }), 8, int32(13)],
    ['a length below the least of magic 1', message({}), 8, int32(21)],
    ['a length beyond the end', message({}), 8, int32(23)],
    ['a negative length', message({}), 8, int32(-1)],
    ['magic 2', message({}), 16, Buffer.from([2])],
    ['magic -1', message({}), 16, Buffer.from([255])],
  ])('is refused with %s', (_, bytes, at, replacement) => {
    bytes.set(replacement, at)
    expect(ourError(() => read(bytes)).code).toBe('ERR_INVALID_BATCH')
  })

  test.each([
    ['a key beyond the end', 26, int32(1000)],
    ['a key that leaves no room for the value', 26, int32(8 + 4)],
    ['a value beyond the end', 33, int32(6)],
    ['a huge key', 26, int32(0x7fffffff)],
  ])('has no record with %s', (_, at, replacement) => {
    const bytes = message({ key, value })
    bytes.set(replacement, at)
    expect(ourError(() => records(bytes)).code).toBe('ERR_INVALID_BATCH')
  })

  test('with an unknown codec can be told apart, and copied', () => {
    const batch = read(message({ attributes: 5, value }))
    expect(isLegacyCrcValid(batch)).toBe(true)
    expect(ourError(() => batch.codec)).toMatchObject({ code: 'ERR_UNSUPPORTED' })
    expect(ourError(() => legacyRecords(batch, DEFAULT_BATCH_LIMITS)).message).toContain('5')
  })
})

describe('a wrapper', () => {
  const inner = (offset: bigint, parts: MessageParts = {}): Buffer =>
    message({ offset, timestamp: 100n + offset, value: Buffer.from(`v${offset}`), ...parts })
  const offsets = (bytes: Uint8Array): bigint[] => records(bytes).map(({ offset }) => offset)

  test('of magic 1 has relative offsets, the last of which is its own', () => {
    expect(offsets(wrapper([inner(0n), inner(1n), inner(2n)], { offset: 12n }))).toEqual([10n, 11n, 12n])
  })

  test.each([
    ['gaps', [0n, 2n, 7n], 107n, [100n, 102n, 107n]],
    ['the same offset throughout', [0n, 0n, 0n], 9n, [9n, 9n, 9n]],
    ['a first offset above 0', [3n, 4n], 24n, [23n, 24n]],
    ['offset 0, as some producers left it', [0n, 1n, 2n], 0n, [0n, 1n, 2n]],
    ['offset 0 and absolute offsets inside', [5n, 6n], 0n, [5n, 6n]],
  ])('known fault 161: of magic 1 with %s', (_, given, offset, expected) => {
    expect(
      offsets(
        wrapper(
          given.map((n) => inner(n)),
          { offset },
        ),
      ),
    ).toEqual(expected)
  })

  test('of magic 0 has absolute offsets', () => {
    const set = [10n, 12n].map((offset) => inner(offset, { magic: 0 }))
    expect(offsets(wrapper(set, { magic: 0, offset: 12n }))).toEqual([10n, 12n])
    expect(records(wrapper(set, { magic: 0, offset: 12n }))[0]).toMatchObject({ timestamp: -1n })
  })

  test('with CreateTime leaves each record its own time', () => {
    const times = records(wrapper([inner(0n), inner(1n)], { offset: 1n, timestamp: 999n }))
    expect(times.map(({ timestamp }) => timestamp)).toEqual([100n, 101n])
    expect(times[0]!.timestampType).toBe('CreateTime')
  })

  test('with LogAppendTime gives its own time to all', () => {
    const bytes = wrapper([inner(0n), inner(1n)], {
      offset: 1n,
      timestamp: 999n,
      attributes: LOG_APPEND_TIME,
    })
    for (const record of records(bytes))
      expect(record).toMatchObject({ timestamp: 999n, timestampType: 'LogAppendTime' })
  })

  test('may hold messages of the other magic, as in Kafka', () => {
    const [older, newer] = records(wrapper([inner(0n, { magic: 0 }), inner(1n)], { offset: 5n }))
    expect(older).toMatchObject({ offset: 4n, timestamp: -1n, timestampType: 'NoTimestampType' })
    expect(newer).toMatchObject({ offset: 5n, timestamp: 101n, timestampType: 'CreateTime' })
  })

  test('loses a message that is cut off at its end, as in Kafka', () => {
    const cut = inner(1n).subarray(0, 30)
    expect(offsets(wrapper([inner(0n), cut], { offset: 4n }))).toEqual([4n])
    expect(offsets(wrapper([inner(0n), cut.subarray(0, 5)], { offset: 4n }))).toEqual([4n])
  })

  test('known fault 169: of magic 0 in lz4 may have the wrong header checksum that old writers left', () => {
    const frame = (bytes: Uint8Array): Uint8Array => {
      const made = Uint8Array.from(loadedCodec('lz4').compress(bytes))
      made[6]! ^= 0xff
      return made
    }
    const old = message({ magic: 0, attributes: LZ4, offset: 3n, value: frame(inner(3n, { magic: 0 })) })
    expect(offsets(old)).toEqual([3n])
    const recent = message({ attributes: LZ4, offset: 3n, value: frame(inner(0n)) })
    expect(ourError(() => records(recent))).toMatchObject({ code: 'ERR_CORRUPT', kind: 'compression' })
  })

  test.each([
    ['an offset below its last message', wrapper([inner(0n), inner(5n)], { offset: 4n })],
    ['no message', wrapper([], { offset: 4n })],
    ['only a message that is cut off', wrapper([inner(0n).subarray(0, 20)], { offset: 4n })],
    ['no value', message({ attributes: GZIP })],
    ['a compressed message inside', wrapper([wrapper([inner(0n)])], { offset: 4n })],
    [
      'a message of impossible length inside',
      wrapper([Buffer.concat([int64(0n), int32(13)]), noise(40)], { offset: 4n }),
    ],
    ['a message of magic 2 inside', wrapper([inner(0n, { magic: 2 })], { offset: 4n })],
    ['zstd', message({ attributes: 4, value: Buffer.from('28b52ffd0058190000616263', 'hex') })],
  ])('known fault 161: is refused with %s', async (_, bytes) => {
    const error = ourError(() => records(bytes))
    expect(error.code).toBe('ERR_INVALID_BATCH')
    expect(ourError(() => records(bytes)).message).toBe(error.message)
  })

  test('whose value is no gzip is damaged', () => {
    const bytes = message({ attributes: GZIP, value })
    expect(ourError(() => records(bytes))).toMatchObject({ code: 'ERR_CORRUPT', kind: 'compression' })
  })

  test('needs its codec loaded', () => {
    expect(isCodecLoaded('snappy')).toBe(false)
    expect(ourError(() => records(message({ attributes: 2, value }))).code).toBe('ERR_CODEC_NOT_LOADED')
  })

  test('opens off the loop to the same bytes', async () => {
    const set = Buffer.concat([inner(0n), inner(1n)])
    expect(
      Buffer.compare((await openMessageSetAsync(read(wrapper([set])), DEFAULT_BATCH_LIMITS))!, set),
    ).toBe(0)
    expect(await openMessageSetAsync(read(message({})), DEFAULT_BATCH_LIMITS)).toBeNull()
  })
})

describe('as a batch', () => {
  const set = [0n, 1n, 3n].map((offset) => message({ offset, key, value }))
  const source = { path: '/log/00000000000000000000.log', position: 77 }

  test('opens what is compressed once, when asked', async () => {
    const bytes = wrapper(set, { offset: 13n })
    const batch = new LegacyRecordBatch(bytes, DEFAULT_BATCH_LIMITS)
    await batch.load()
    // What was opened is kept: the value of the wrapper is not looked at again.
    bytes.fill(0, 40)
    expect([batch.baseOffset, batch.lastOffset, batch.count]).toEqual([10n, 13n, 3])
    expect([...batch.records()].map(({ offset }) => offset)).toEqual([10n, 11n, 13n])
    expect(batch.isValid()).toBe(false)
  })

  test('one record is its own base', () => {
    const batch = new LegacyRecordBatch(message({ offset: 4n, value }), DEFAULT_BATCH_LIMITS)
    expect([batch.baseOffset, batch.lastOffset, batch.count]).toEqual([4n, 4n, 1])
    expect(batch.isValid()).toBe(true)
  })

  test('says where damage was found, the same each time', async () => {
    const batch = new LegacyRecordBatch(message({ attributes: GZIP, value }), DEFAULT_BATCH_LIMITS, source)
    const expected = { code: 'ERR_CORRUPT', kind: 'compression', path: source.path, position: 77 }
    expect(ourError(() => batch.records())).toMatchObject(expected)
    expect(ourError(() => batch.records())).toMatchObject(expected)
    expect(ourError(() => batch.baseOffset)).toMatchObject(expected)
    await expect(batch.load()).rejects.toMatchObject(expected)
  })

  test('keeps to the limit on what it opens', async () => {
    const batch = new LegacyRecordBatch(wrapper(set, { offset: 13n }), { maxDecompressedBytes: 20 }, source)
    expect(ourError(() => batch.records())).toMatchObject({ code: 'ERR_BATCH_TOO_LARGE', position: 77 })
    await expect(batch.load()).rejects.toMatchObject({ code: 'ERR_BATCH_TOO_LARGE', position: 77 })
  })
})

test('any bytes give records or an error of ours', () => {
  const sound = [
    message({ offset: 3n, key, value }),
    message({ magic: 0, value }),
    wrapper(
      [0n, 1n].map((offset) => message({ offset, key, value })),
      { offset: 9n },
    ),
  ]
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(
      fc.constantFrom(...sound),
      fc.array(change, { maxLength: 4 }),
      fc.nat(200),
      (base, changes, length) => {
        const bytes = Uint8Array.from(base)
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        try {
          for (const record of records(bytes.subarray(0, Math.max(length, bytes.length - length))))
            record.toJSON()
        } catch (error) {
          expect(error).toBeInstanceOf(PartitionLogError)
        }
      },
    ),
    fcOptions(1000),
  )
})
