/** Index files: entries, lookups in every section, lengths. */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend, OffsetIndexFile, OpenMode, TimeIndexFile } from '../../lib/backend/contract.js'
import { errorFrom } from '../support/errors.js'
import { fcOptions } from '../support/random.js'
import { offsetEntries, timeEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

export function describeIndexFile(makeBackend: () => Backend): void {
  const backend = makeBackend()

  function offsetIndex(path: string, mode: OpenMode, capacityBytes = 0): OffsetIndexFile {
    return backend.openIndexFile(path, { kind: 'offset', mode, capacityBytes })
  }

  function timeIndex(path: string, mode: OpenMode, capacityBytes = 0): TimeIndexFile {
    return backend.openIndexFile(path, { kind: 'time', mode, capacityBytes })
  }

  /** An index opened on a file with these bytes. */
  function offsetIndexWith(bytes: Uint8Array, mode: OpenMode = 'write'): OffsetIndexFile {
    const path = join(tempDir(), 'a.index')
    writeFileSync(path, bytes)
    return offsetIndex(path, mode)
  }

  describe('index file: open', () => {
    test('create gives the capacity as length, rounded down, zero-filled, 0640', async () => {
      const path = join(tempDir(), 'a.index')
      const index = offsetIndex(path, 'create', 100)
      expect(index).toMatchObject({
        kind: 'offset',
        path,
        entrySize: 8,
        entries: 0,
        capacity: 12,
        oddBytes: 0,
      })
      expect(readFileSync(path)).toEqual(Buffer.alloc(96))
      expect(statSync(path).mode & 0o777).toBe(0o640)
      await index.close()
      writeFileSync(path, Buffer.alloc(200, 1))
      const again = offsetIndex(path, 'create', 50)
      expect(again.entries).toBe(0)
      expect(readFileSync(path)).toEqual(Buffer.alloc(48))
      await again.close()
    })

    test('truncate of an index opened for reading narrows what counts and leaves the file alone', async () => {
      const path = join(tempDir(), 'a.index')
      const bytes = Buffer.alloc(32, 1)
      writeFileSync(path, bytes)
      const index = offsetIndex(path, 'read', 0)
      index.truncate(2)
      expect(index).toMatchObject({ entries: 2, capacity: 4 })
      expect(errorFrom(() => index.entry(2))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
      expect(readFileSync(path)).toEqual(bytes)
      await index.close()
    })

    test('a time index has entries of 12 bytes', async () => {
      const path = join(tempDir(), 'a.timeindex')
      const index = timeIndex(path, 'create', 100)
      expect(index).toMatchObject({ kind: 'time', entrySize: 12, entries: 0, capacity: 8 })
      expect(statSync(path).size).toBe(96)
      await index.close()
    })

    test.each(['write', 'read'] as const)(
      '%s starts with all whole entries and tells odd bytes',
      async (mode) => {
        const index = offsetIndexWith(Buffer.alloc(3 * 8 + 5), mode)
        expect(index).toMatchObject({ entries: 3, capacity: 3, oddBytes: 5 })
        await index.close()
      },
    )

    test.each(['write', 'read'] as const)('%s fails on a missing file', (mode) => {
      const path = join(tempDir(), 'a.index')
      expect(errorFrom(() => offsetIndex(path, mode))).toMatchObject({
        code: 'ERR_IO',
        syscall: 'open',
        errno: 'ENOENT',
        path,
      })
    })
  })

  describe('index file: append', () => {
    test('entries come back as they were written, extremes too', async () => {
      const offsets = offsetIndex(join(tempDir(), 'a.index'), 'create', 80)
      offsets.append(offsetEntries([0, 0], [2 ** 31 - 1, 2 ** 31 - 1]))
      offsets.append(offsetEntries([-(2 ** 31), -1]))
      expect([0, 1, 2].map((n) => offsets.entry(n))).toEqual([
        { relativeOffset: 0, position: 0 },
        { relativeOffset: 2 ** 31 - 1, position: 2 ** 31 - 1 },
        { relativeOffset: -(2 ** 31), position: -1 },
      ])
      const times = timeIndex(join(tempDir(), 'a.timeindex'), 'create', 80)
      times.append(timeEntries([-(2n ** 63n), 0], [2n ** 63n - 1n, 7]))
      expect([0, 1].map((n) => times.entry(n))).toEqual([
        { timestamp: -(2n ** 63n), relativeOffset: 0 },
        { timestamp: 2n ** 63n - 1n, relativeOffset: 7 },
      ])
      await Promise.all([offsets.close(), times.close()])
    })

    test('an append beyond the capacity is ERR_NO_ROOM and writes nothing', async () => {
      const path = join(tempDir(), 'a.index')
      const index = offsetIndex(path, 'create', 24)
      index.append(offsetEntries([1, 1], [2, 2]))
      const before = readFileSync(path)
      expect(errorFrom(() => index.append(offsetEntries([3, 3], [4, 4])))).toMatchObject({
        code: 'ERR_NO_ROOM',
        path,
      })
      expect(index.entries).toBe(2)
      expect(readFileSync(path)).toEqual(before)
      await index.close()
    })

    test.each([-1, 2, 0.5])('entry %s of two is a RangeError', async (n) => {
      const index = offsetIndexWith(Buffer.alloc(16))
      expect(errorFrom(() => index.entry(n))).toBeInstanceOf(RangeError)
      await index.close()
    })
  })

  describe('index file: lookup', () => {
    test('an empty index has no answer', async () => {
      const index = offsetIndex(join(tempDir(), 'a.index'), 'create', 80)
      expect(index.lookup(0)).toBeNull()
      await index.close()
    })

    // One entry less and more than the warm section, and several blocks beyond it; with 2053
    // the second probe before the section is for the entry just behind the first block.
    test.each([1, 2, 511, 1024, 1025, 1026, 1027, 1538, 2053, 5000])(
      'all keys of %i entries',
      async (count) => {
        const pairs = Array.from({ length: count }, (_, i) => [i * 10 + 5, i] as const)
        const index = offsetIndexWith(offsetEntries(...pairs))
        expect(index.lookup(4)).toBeNull()
        for (const [key, position] of pairs) {
          const answers = [key - 1, key, key + 9].map((target) => index.lookup(target)?.position ?? -1)
          if (answers.join() !== `${position - 1},${position},${position}`) expect.fail(`${key}: ${answers}`)
        }
        expect(index.lookup(2 ** 31 - 1)).toEqual({ relativeOffset: count * 10 - 5, position: count - 1 })
        await index.close()
      },
    )

    test.each([3, 682, 683, 684, 2000])('all keys of a time index of %i entries', async (count) => {
      const path = join(tempDir(), 'a.timeindex')
      const start = 1_700_000_000_000n
      writeFileSync(
        path,
        timeEntries(...Array.from({ length: count }, (_, i) => [start + BigInt(i * 2), i] as const)),
      )
      const index = timeIndex(path, 'read')
      expect(index.lookup(start - 1n)).toBeNull()
      for (let i = 0; i < count; i++) {
        for (const late of [0n, 1n]) {
          const answer = index.lookup(start + BigInt(i * 2) + late)
          if (answer?.relativeOffset !== i) expect.fail(`entry ${i}: ${answer?.relativeOffset}`)
        }
      }
      expect(index.lookup(2n ** 63n - 1n)?.relativeOffset).toBe(count - 1)
      await index.close()
    })

    test('of equal keys the last answers', async () => {
      for (const count of [2, 3, 1500]) {
        const index = offsetIndexWith(
          offsetEntries([1, 0], ...Array.from({ length: count }, (_, i) => [7, i] as const), [9, 0]),
        )
        expect(index.lookup(7)).toEqual({ relativeOffset: 7, position: count - 1 })
        expect(index.lookup(8)).toEqual({ relativeOffset: 7, position: count - 1 })
        await index.close()
      }
    })

    test('any bytes give an entry of the file or null', async () => {
      const bytes = fc.uint8Array({ minLength: 0, maxLength: 300 })
      const property = fc.asyncProperty(
        bytes,
        fc.integer(),
        fc.constantFrom(1, 40),
        async (some, key, repeat) => {
          const index = offsetIndexWith(Buffer.concat(Array.from({ length: repeat }, () => some)))
          const answer = index.lookup(key)
          const all = Array.from({ length: index.entries }, (_, n) => index.entry(n))
          await index.close()
          if (answer !== null) expect(all).toContainEqual(answer)
        },
      )
      await fc.assert(property, fcOptions(100))
    })

    test('finds what was appended, and not what was dropped', async () => {
      const index = offsetIndex(join(tempDir(), 'a.index'), 'create', 8 * 3000)
      for (let i = 0; i < 3000; i++) {
        index.append(offsetEntries([i, i]))
        if (index.lookup(2 ** 30)?.position !== i) expect.fail(`after ${i}`)
      }
      index.truncate(1200)
      expect(index.lookup(2 ** 30)).toEqual({ relativeOffset: 1199, position: 1199 })
      index.append(offsetEntries([5000, 1]))
      expect(index.lookup(4999)).toEqual({ relativeOffset: 1199, position: 1199 })
      expect(index.lookup(5000)).toEqual({ relativeOffset: 5000, position: 1 })
      await index.close()
    })
  })

  describe('index file: lengths', () => {
    test('truncate zeroes the entries and keeps the length', async () => {
      const index = offsetIndexWith(offsetEntries([1, 1], [2, 2], [3, 3]))
      index.truncate(1)
      expect(index).toMatchObject({ entries: 1, capacity: 3 })
      expect(readFileSync(index.path)).toEqual(offsetEntries([1, 1], [0, 0], [0, 0]))
      index.append(offsetEntries([8, 8]))
      expect(readFileSync(index.path)).toEqual(offsetEntries([1, 1], [8, 8], [0, 0]))
      await index.close()
    })

    test('truncate leaves the file alone in mode `read`', async () => {
      const bytes = offsetEntries([1, 1], [2, 2], [0, 0])
      const index = offsetIndexWith(bytes, 'read')
      index.truncate(2)
      expect(index.entries).toBe(2)
      expect(index.lookup(100)).toEqual({ relativeOffset: 2, position: 2 })
      expect(errorFrom(() => index.entry(2))).toBeInstanceOf(RangeError)
      expect(readFileSync(index.path)).toEqual(bytes)
      await index.close()
    })

    test.each([-1, 4, 0.5])('truncate of three entries to %s is a RangeError', async (count) => {
      const index = offsetIndexWith(Buffer.alloc(24))
      expect(errorFrom(() => index.truncate(count))).toBeInstanceOf(RangeError)
      await index.close()
    })

    test('resize gives room, whole entries of it, and takes it away down to the entries in use', async () => {
      const index = offsetIndexWith(offsetEntries([1, 1], [2, 2]))
      index.resize(100)
      expect(index.capacity).toBe(12)
      expect(readFileSync(index.path)).toEqual(
        Buffer.concat([offsetEntries([1, 1], [2, 2]), Buffer.alloc(80)]),
      )
      index.append(offsetEntries([3, 3]))
      index.resize(0)
      expect(index).toMatchObject({ entries: 3, capacity: 3 })
      expect(readFileSync(index.path)).toEqual(offsetEntries([1, 1], [2, 2], [3, 3]))
      await index.close()
    })

    test('no index is longer than positions reach', async () => {
      const index = offsetIndexWith(offsetEntries([1, 1]))
      const error = { code: 'ERR_IO', syscall: 'ftruncate', errno: 'EFBIG' }
      expect(errorFrom(() => index.resize(2 ** 31))).toMatchObject({ ...error, path: index.path })
      expect(index).toMatchObject({ entries: 1, capacity: 1 })
      expect(readFileSync(index.path)).toEqual(offsetEntries([1, 1]))
      await index.close()
      const path = join(tempDir(), 'a.index')
      expect(errorFrom(() => offsetIndex(path, 'create', 2 ** 31))).toMatchObject({ ...error, path })
      expect(existsSync(path)).toBe(false)
    })

    test('odd bytes never become part of an entry', async () => {
      const index = offsetIndexWith(Buffer.concat([offsetEntries([1, 1]), Buffer.alloc(5, 0xee)]))
      index.resize(24)
      expect(readFileSync(index.path)).toEqual(Buffer.concat([offsetEntries([1, 1]), Buffer.alloc(16)]))
      expect(index.oddBytes).toBe(0)
      await index.close()
    })

    test('trim cuts to the entries in use, odd bytes too, and leaves a right length alone', async () => {
      const index = offsetIndexWith(Buffer.concat([offsetEntries([1, 1], [2, 2]), Buffer.alloc(3, 0xee)]))
      index.trim()
      expect(readFileSync(index.path)).toEqual(offsetEntries([1, 1], [2, 2]))
      utimesSync(index.path, 1_000, 1_000)
      index.trim()
      index.truncate(2)
      index.resize(16)
      expect(statSync(index.path).mtimeMs).toBe(1_000_000)
      await index.close()
    })

    test('a closed index is ERR_CLOSED, and close is idempotent', async () => {
      const index = offsetIndexWith(offsetEntries([1, 1], [2, 2]))
      await Promise.all([index.close(), index.close()])
      const uses = [
        () => index.lookup(1),
        () => index.entry(0),
        () => index.append(new Uint8Array(8)),
        () => index.truncate(1),
        () => index.resize(800),
        () => index.trim(),
      ]
      for (const use of uses) expect(errorFrom(use)).toMatchObject({ code: 'ERR_CLOSED', path: index.path })
    })
  })
}
