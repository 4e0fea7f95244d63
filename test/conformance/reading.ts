/** From an offset to bytes: translation, slices and plain reads. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Backend, OffsetIndexFile, SliceBounds } from '../../lib/backend/contract.js'
import { type RawBatch, rawBatch, resealed } from '../support/batches.js'
import { offsetEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const BASE = 1000n

/** Offsets 1000-1009, 1010, a gap, 1050-1054, and 1055 in a batch larger than a read. */
const BATCHES: RawBatch[] = [
  { baseOffset: BASE, lastOffsetDelta: 9, payloadBytes: 200 },
  { baseOffset: BASE + 10n, payloadBytes: 0 },
  { baseOffset: BASE + 50n, lastOffsetDelta: 4, payloadBytes: 100 },
  { baseOffset: BASE + 55n, payloadBytes: 20_000 },
  { baseOffset: BASE + 56n, lastOffsetDelta: 1, payloadBytes: 30 },
]
const RAW = BATCHES.map(rawBatch)
const FILE = Buffer.concat(RAW)
const PLACES = RAW.map((bytes, i) => ({
  position: RAW.slice(0, i).reduce((sum, { length }) => sum + length, 0),
  sizeInBytes: bytes.length,
  baseOffset: bytes.readBigInt64BE(0),
  lastOffset: bytes.readBigInt64BE(0) + BigInt(bytes.readInt32BE(23)),
  magic: 2,
}))
const ALL: SliceBounds = {
  fromPosition: 0,
  endPosition: FILE.length,
  maxBytes: FILE.length,
  minOneBatch: true,
}

export function describeReading(makeBackend: () => Backend): void {
  const backend = makeBackend()

  function opened(bytes: Buffer, entries: Buffer = Buffer.alloc(0)) {
    const directory = tempDir()
    writeFileSync(join(directory, 'a.log'), bytes)
    writeFileSync(join(directory, 'a.index'), entries)
    const log = backend.openLogFile(join(directory, 'a.log'), { mode: 'read', baseOffset: BASE })
    const index: OffsetIndexFile = backend.openIndexFile(join(directory, 'a.index'), {
      kind: 'offset',
      mode: 'read',
      capacityBytes: 0,
    })
    return { log, index, close: () => Promise.all([log.close(), index.close()]) }
  }

  describe('translate', () => {
    test.each([
      ['without an index', Buffer.alloc(0)],
      [
        'with every batch indexed',
        offsetEntries(...PLACES.map((p) => [Number(p.lastOffset - BASE), p.position] as const)),
      ],
    ])('every offset %s', async (_, entries) => {
      const { log, index, close } = opened(FILE, entries)
      for (let target = -5; target <= 57; target++) {
        const expected = PLACES.find(({ lastOffset }) => lastOffset - BASE >= target)
        const { batch, stop, position, indexEntry } = log.translate(index, target)
        expect({ target, batch, stop, position }).toEqual({
          target,
          batch: expected,
          stop: 'found',
          position: expected?.position,
        })
        expect(indexEntry).toEqual(index.lookup(target) ?? { relativeOffset: 0, position: 0 })
      }
      await close()
    })

    test('above the last offset it comes to the end', async () => {
      const { log, index, close } = opened(FILE)
      expect(log.translate(index, 58)).toMatchObject({ batch: null, stop: 'end', position: FILE.length })
      await close()
    })

    test('an empty log', async () => {
      const { log, index, close } = opened(Buffer.alloc(0))
      expect(log.translate(index, 0)).toEqual({
        indexEntry: { relativeOffset: 0, position: 0 },
        batch: null,
        stop: 'end',
        position: 0,
      })
      await close()
    })

    test.each([-1, FILE.length + 1, 2 ** 31 - 1, -(2 ** 31)])(
      'an index entry that points to %i is taken as none',
      async (position) => {
        const { log, index, close } = opened(FILE, offsetEntries([0, position]))
        expect(log.translate(index, 52)).toMatchObject({
          batch: PLACES[2],
          indexEntry: { relativeOffset: 0, position },
        })
        await close()
      },
    )

    test.each(faultyHeaders())('known fault 133: a header that is $stop', async ({ stop, bytes }) => {
      const { log, index, close } = opened(Buffer.concat([RAW[0] as Buffer, bytes]))
      const position = (RAW[0] as Buffer).length
      expect(log.translate(index, 30)).toMatchObject({ batch: null, stop, position })
      expect(log.sliceBlocking(index, 30, ALL)).toMatchObject({
        translation: { stop, position },
        bytes: Buffer.alloc(0),
      })
      expect(log.translate(index, 3)).toMatchObject({ batch: PLACES[0], stop: 'found' })
      await close()
    })

    test('a header that lies across the edge of a read, at every byte', async () => {
      const last = rawBatch({ baseOffset: BASE + 9n, lastOffsetDelta: 5 })
      for (let before = 0; before <= 62; before++) {
        const sizeInBytes = 8192 - before
        const first = rawBatch({ baseOffset: BASE, payloadBytes: sizeInBytes - 61 })
        const { log, index, close } = opened(Buffer.concat([first, last]))
        const batch = {
          position: sizeInBytes,
          sizeInBytes: 71,
          baseOffset: BASE + 9n,
          lastOffset: BASE + 14n,
          magic: 2,
        }
        expect(log.translate(index, 12)).toMatchObject({ stop: 'found', batch })
        await close()
      }
    })

    test('a wrong checksum is not looked at', async () => {
      const bytes = Buffer.from(FILE)
      bytes[17] = ~(bytes[17] as number)
      const { log, index, close } = opened(bytes)
      expect(log.translate(index, 10)).toMatchObject({ stop: 'found', batch: PLACES[1] })
      await close()
    })

    test('older formats are found by their one offset', async () => {
      const messages = [
        rawBatch({ magic: 0, baseOffset: BASE + 1n }),
        rawBatch({ magic: 1, baseOffset: BASE + 7n }),
      ]
      const { log, index, close } = opened(Buffer.concat(messages))
      const place = { position: 36, sizeInBytes: 44, baseOffset: BASE + 7n, lastOffset: BASE + 7n, magic: 1 }
      expect(log.translate(index, 2)).toMatchObject({ stop: 'found', batch: place })
      await close()
    })
  })

  describe('slice', () => {
    test('bytes from the batch on, within every limit', async () => {
      const { log, index, close } = opened(FILE)
      for (const place of PLACES) {
        const target = Number(place.lastOffset - BASE)
        for (const maxBytes of [0, 1, 60, place.sizeInBytes, place.sizeInBytes + 1, FILE.length]) {
          for (const minOneBatch of [false, true]) {
            for (const endPosition of [
              0,
              place.position,
              place.position + 1,
              place.position + place.sizeInBytes,
              FILE.length,
            ]) {
              const bounds = { fromPosition: 0, endPosition, maxBytes, minOneBatch }
              const wanted = minOneBatch ? Math.max(maxBytes, place.sizeInBytes) : maxBytes
              const end = Math.max(place.position, Math.min(place.position + wanted, endPosition))
              const { translation, bytes } = log.sliceBlocking(index, target, bounds)
              expect(translation.batch).toEqual(place)
              const isRight = bytes.equals(FILE.subarray(place.position, end))
              if (!isRight) expect.fail(`${bytes.length} bytes of ${JSON.stringify({ target, ...bounds })}`)
            }
          }
        }
      }
      await close()
    })

    test('a reader’s last position spares the way there', async () => {
      const { log, index, close } = opened(FILE)
      const { position } = PLACES[3] ?? expect.fail()
      const { translation } = log.sliceBlocking(index, 0, { ...ALL, fromPosition: position })
      expect(translation).toMatchObject({ stop: 'found', batch: PLACES[3], indexEntry: { position: 0 } })
      const beyond = log.sliceBlocking(index, 0, { ...ALL, fromPosition: FILE.length + 10 })
      expect(beyond).toMatchObject({
        translation: { stop: 'end', batch: null, position: FILE.length },
        bytes: Buffer.alloc(0),
      })
      await close()
    })

    test('an answer from the page cache is the blocking one, or none', async () => {
      const { log, index, close } = opened(FILE)
      const blocking = log.sliceBlocking(index, 50, ALL)
      const cached = log.sliceIfCached(index, 50, ALL)
      if (backend.name === 'portable') expect(cached).toBeUndefined()
      if (cached !== undefined) expect(cached).toEqual(blocking)
      await close()
    })

    test('known faults 209 and 211: answers are the caller’s alone', async () => {
      const { log, index, close } = opened(FILE)
      const first = log.sliceBlocking(index, 0, ALL).bytes
      first.fill(0)
      expect(log.sliceBlocking(index, 0, ALL).bytes).toEqual(FILE)
      expect(Buffer.isBuffer(first)).toBe(true)
      await close()
    })
  })

  describe('read', () => {
    test('gives the bytes at a position, shorter only at the end', async () => {
      const { log, close } = opened(FILE)
      expect(log.readBlocking(100, 50)).toEqual(FILE.subarray(100, 150))
      expect(log.readBlocking(FILE.length - 3, 50)).toEqual(FILE.subarray(-3))
      expect(log.readBlocking(FILE.length, 50)).toEqual(Buffer.alloc(0))
      expect(log.readBlocking(FILE.length + 5, 50)).toEqual(Buffer.alloc(0))
      expect(log.readBlocking(7, 0)).toEqual(Buffer.alloc(0))
      expect(log.readBlocking(-5, 10)).toEqual(FILE.subarray(0, 10))
      await close()
    })

    test('reads into what it is given, shorter only at the end', async () => {
      const { log, close } = opened(FILE)
      const target = Buffer.alloc(50, 7)
      expect(log.readInto(target, 100)).toBe(50)
      expect(target).toEqual(FILE.subarray(100, 150))
      expect(log.readInto(target, FILE.length - 3)).toBe(3)
      expect(target).toEqual(Buffer.concat([FILE.subarray(-3), FILE.subarray(103, 150)]))
      expect(log.readInto(target, FILE.length)).toBe(0)
      const cached = log.readIfCached(100, 50)
      if (backend.name === 'portable') expect(cached).toBeUndefined()
      if (cached !== undefined) expect(cached).toEqual(FILE.subarray(100, 150))
      expect(() => log.readInto('text' as never, 0)).toThrow(TypeError)
      await close()
    })
  })
}

/** One batch that follows offset 1009, bad in one way each. */
export function faultyHeaders(): { stop: string; bytes: Buffer }[] {
  const next = (fields: RawBatch = {}) => rawBatch({ baseOffset: BASE + 20n, ...fields })
  const changed = (fields: RawBatch, change: (bytes: Buffer) => void) => {
    const bytes = next(fields)
    change(bytes)
    return resealed(bytes)
  }
  return [
    { stop: 'torn-header', bytes: next().subarray(0, 1) },
    { stop: 'torn-header', bytes: next().subarray(0, 16) },
    { stop: 'torn-batch', bytes: next().subarray(0, 17) },
    { stop: 'torn-batch', bytes: next().subarray(0, 70) },
    { stop: 'torn-batch', bytes: changed({}, (b) => b.writeInt32BE(2 ** 31 - 1, 8)) },
    { stop: 'bad-length', bytes: changed({}, (b) => b.writeInt32BE(13, 8)) },
    { stop: 'bad-length', bytes: changed({}, (b) => b.writeInt32BE(-1, 8)) },
    { stop: 'bad-length', bytes: changed({}, (b) => b.writeInt32BE(48, 8)) },
    { stop: 'bad-length', bytes: changed({ magic: 1 }, (b) => b.writeInt32BE(21, 8)) },
    { stop: 'bad-length', bytes: Buffer.alloc(61) },
    { stop: 'bad-magic', bytes: changed({}, (b) => b.writeInt8(3, 16)) },
    { stop: 'bad-magic', bytes: changed({}, (b) => b.writeInt8(-1, 16)) },
    // Two faults: length comes before magic, magic before its own least length.
    { stop: 'bad-magic', bytes: changed({}, (b) => b.writeInt8(3, 16) && b.writeInt32BE(14, 8)) },
    { stop: 'bad-length', bytes: changed({}, (b) => b.writeInt8(3, 16) && b.writeInt32BE(13, 8)) },
    { stop: 'offset-order', bytes: next({ lastOffsetDelta: -1 }) },
    { stop: 'offset-order', bytes: next({ baseOffset: BASE - 1n, lastOffsetDelta: 100 }) },
    { stop: 'offset-order', bytes: next({ baseOffset: BASE, lastOffsetDelta: 9 }) },
    { stop: 'offset-order', bytes: next({ baseOffset: 2n ** 63n - 1n, lastOffsetDelta: 1 }) },
    { stop: 'offset-order', bytes: next({ baseOffset: -1n }) },
  ]
}
