/** A `.log` that others cut while it is open: what is missing is told, and never taken for the end. */
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Backend, BatchPlace, SliceBounds } from '../../lib/backend/contract.js'
import { rawBatch } from '../support/batches.js'
import { offsetEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const BASE = 1000n

/** Small ones that one read holds, one larger than a search reads at once, one larger than a scan does. */
const RAW = [100, 200, 300, 20_000, 100, 3_000_000, 50].map((payloadBytes, i) =>
  rawBatch({ baseOffset: BASE + BigInt(i), payloadBytes }),
)
const FILE = Buffer.concat(RAW)
const PLACES: BatchPlace[] = RAW.map((bytes, i) => ({
  position: RAW.slice(0, i).reduce((sum, { length }) => sum + length, 0),
  sizeInBytes: bytes.length,
  baseOffset: BASE + BigInt(i),
  lastOffset: BASE + BigInt(i),
  magic: 2,
}))
/** As if the file had all of its bytes. */
const ALL: SliceBounds = {
  fromPosition: 0,
  endPosition: FILE.length,
  maxBytes: FILE.length,
  minOneBatch: true,
}
/** What a search reads at once. */
const SEARCH_READ_BYTES = 8192
const NO_BYTES = Buffer.alloc(0)

/** In each batch: before it, in its header, where the header ends, in and at the end of its records. */
const CUTS = PLACES.flatMap(({ position, sizeInBytes }, cutBatch) =>
  [0, 1, 16, 17, 60, 61, Math.floor(sizeInBytes / 2), sizeInBytes - 1].map((kept) => ({
    cutBatch,
    kept,
    cut: position + kept,
    stop: kept < 17 ? 'torn-header' : 'torn-batch',
    position,
  })),
)

export function describeCutFile(makeBackend: () => Backend): void {
  const backend = makeBackend()
  const lane = backend.openLane()
  afterAll(() => lane.close())

  function openedThenCut(cut: number, entries: Buffer = NO_BYTES) {
    const directory = tempDir()
    const path = join(directory, 'a.log')
    writeFileSync(path, FILE)
    writeFileSync(join(directory, 'a.index'), entries)
    const log = backend.openLogFile(path, { mode: 'read', baseOffset: BASE })
    const index = backend.openIndexFile(join(directory, 'a.index'), {
      kind: 'offset',
      mode: 'read',
      capacityBytes: 0,
    })
    truncateSync(path, cut)
    return { log, index, close: () => Promise.all([log.close(), index.close()]) }
  }

  const everyEntry = offsetEntries(...PLACES.map((place, i): [number, number] => [i, place.position]))

  describe.each([
    ['without an index', NO_BYTES],
    ['with every batch indexed', everyEntry],
  ])('a log file cut under an open handle, %s', (_, entries) => {
    test.each(CUTS)('$kept bytes into batch $cutBatch', async ({ cutBatch, kept, cut, stop, position }) => {
      const { log, index, close } = openedThenCut(cut, entries)
      expect(log.sizeInBytes).toBe(FILE.length)
      for (let target = 0; target < cutBatch; target++)
        expect(log.translate(index, target)).toMatchObject({ stop: 'found', batch: PLACES[target] })

      for (const slice of [
        log.sliceBlocking(index, cutBatch, ALL),
        log.sliceIfCached(index, cutBatch, ALL) ?? log.sliceBlocking(index, cutBatch, ALL),
        await lane.slice(log, index, cutBatch, ALL),
      ]) {
        expect(slice.translation).toMatchObject({ batch: null, stop, position })
        expect(slice.bytes).toEqual(NO_BYTES)
      }
      // A search looks at headers alone: what it did not have to read, it does not miss.
      const isUnseen = kept > SEARCH_READ_BYTES
      expect(log.translate(index, cutBatch)).toMatchObject(
        isUnseen ? { batch: PLACES[cutBatch], stop: 'found' } : { batch: null, stop, position },
      )
      await close()
    })
  })

  test.each(CUTS)('a scan: $kept bytes into batch $cutBatch', async ({ cutBatch, cut, stop, position }) => {
    const { log, close } = openedThenCut(cut)
    for (const checkCrc of [false, true]) {
      const whole = { fromPosition: 0, endPosition: FILE.length, maxBatches: 100, checkCrc }
      const { batches, ...end } = await lane.scan(log, whole)
      expect({ checkCrc, count: batches.count, ...end }).toEqual({
        checkCrc,
        count: cutBatch,
        stop,
        endPosition: position,
      })
      // What is asked for in no more than is there ends as ever.
      const asked = { ...whole, endPosition: position }
      expect(await lane.scan(log, asked)).toMatchObject({ stop: 'end', endPosition: position })
      const from = { ...whole, fromPosition: position }
      expect(await lane.scan(log, from)).toMatchObject({ stop, endPosition: position, batches: { count: 0 } })
    }
    await close()
  })

  test('a slice that begins before the cut has the bytes that are there', async () => {
    for (const { cut } of CUTS) {
      const { log, index, close } = openedThenCut(cut)
      for (const [target, { position, sizeInBytes }] of PLACES.entries()) {
        if (position + sizeInBytes > cut) break
        const there = FILE.subarray(position, cut)
        for (const { translation, bytes } of [
          log.sliceBlocking(index, target, ALL),
          await lane.slice(log, index, target, ALL),
        ]) {
          expect(translation).toMatchObject({ stop: 'found', batch: PLACES[target] })
          if (!bytes.equals(there)) expect.fail(`${bytes.length} bytes from batch ${target}, cut at ${cut}`)
        }
      }
      await close()
    }
  })

  test('a bounded part of a batch is no fault while its bytes are there', async () => {
    const large = PLACES[3] as BatchPlace
    const { log, index, close } = openedThenCut(large.position + 10_000)
    const bounds = { ...ALL, maxBytes: 9_000, minOneBatch: false }
    const there = FILE.subarray(large.position, large.position + 9_000)
    expect(log.sliceBlocking(index, 3, bounds)).toMatchObject({
      translation: { stop: 'found' },
      bytes: there,
    })
    expect(await lane.slice(log, index, 3, bounds)).toMatchObject({ translation: { stop: 'found' } })
    const beyond = { ...bounds, maxBytes: 10_001 }
    for (const slice of [log.sliceBlocking(index, 3, beyond), await lane.slice(log, index, 3, beyond)])
      expect(slice).toMatchObject({ translation: { stop: 'torn-batch', batch: null }, bytes: NO_BYTES })
    await close()
  })

  test('plain reads give what is there', async () => {
    for (const { cut } of CUTS) {
      const { log, close } = openedThenCut(cut)
      for (const position of [0, Math.max(0, cut - 3), cut, cut + 1, FILE.length - 1]) {
        const there = FILE.subarray(position, Math.max(position, Math.min(cut, position + 500)))
        expect(log.readBlocking(position, 500)).toEqual(there)
        expect(await lane.read(log, position, 500)).toEqual(there)
      }
      await close()
    }
  })
}
