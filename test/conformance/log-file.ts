/** A segment's `.log`: how it opens, appends, is cut, and what is left when an append fails. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import { rawBatch } from '../support/batches.js'
import { startChild } from '../support/child.js'
import { errorFrom } from '../support/errors.js'
import {
  append,
  closeSegment,
  contentOf,
  createSegment,
  offsetEntries,
  timeEntries,
} from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

export function describeLogFile(makeBackend: () => Backend): void {
  const backend = makeBackend()

  describe('log file: open', () => {
    test('create makes an empty file with permissions 0640, and empties one that is there', async () => {
      const path = join(tempDir(), 'new.log')
      const log = backend.openLogFile(path, { mode: 'create', baseOffset: 42n })
      expect(log).toMatchObject({ path, baseOffset: 42n, sizeInBytes: 0 })
      expect(statSync(path).mode & 0o777).toBe(0o640)
      expect(statSync(path).size).toBe(0)
      await log.close()
      writeFileSync(path, 'left over')
      const again = backend.openLogFile(path, { mode: 'create', baseOffset: 42n })
      expect(again.sizeInBytes).toBe(0)
      expect(statSync(path).size).toBe(0)
      await again.close()
    })

    test.each(['write', 'read'] as const)(
      '%s starts with the length of the file as valid size',
      async (mode) => {
        const path = join(tempDir(), 'a.log')
        writeFileSync(path, Buffer.alloc(321))
        const log = backend.openLogFile(path, { mode, baseOffset: 0n })
        expect(log.sizeInBytes).toBe(321)
        await log.close()
      },
    )

    test.each(['write', 'read'] as const)('%s fails on a missing file, and makes none', (mode) => {
      const path = join(tempDir(), 'missing.log')
      const error = errorFrom(() => backend.openLogFile(path, { mode, baseOffset: 0n }))
      expect(error).toMatchObject({ code: 'ERR_IO', syscall: 'open', errno: 'ENOENT', path })
      expect(existsSync(path)).toBe(false)
    })

    test.each(['write', 'read'] as const)('%s fails on a directory', (mode) => {
      const path = tempDir()
      const error = errorFrom(() => backend.openLogFile(path, { mode, baseOffset: 0n }))
      expect(error).toMatchObject({ code: 'ERR_IO', syscall: 'open', errno: 'EISDIR', path })
    })

    test('a file longer than positions reach is refused', async () => {
      const path = join(tempDir(), 'large.log')
      writeFileSync(path, '')
      truncateSync(path, 2 ** 31 - 1)
      const log = backend.openLogFile(path, { mode: 'write', baseOffset: 0n })
      expect(log.sizeInBytes).toBe(2 ** 31 - 1)
      await log.close()
      truncateSync(path, 2 ** 31)
      const error = errorFrom(() => backend.openLogFile(path, { mode: 'write', baseOffset: 0n }))
      expect(error).toMatchObject({ code: 'ERR_IO', syscall: 'open', errno: 'EFBIG', path })
    })

    test.skipIf(process.getuid?.() !== 0)('a file of another user is refused', async () => {
      const path = join(tempDir(), 'private', 'a.log')
      mkdirSync(join(path, '..'), { mode: 0o700 })
      writeFileSync(path, '', { mode: 0o600 })
      const code = `try { backend.openLogFile(${JSON.stringify(path)}, { mode: 'read', baseOffset: 0n }) }
        catch (e) { say([e.code, e.syscall, e.errno].join()) }`
      expect(await startChild(code, { uid: 65534, gid: 65534 }).nextLine()).toBe('ERR_IO,open,EACCES')
    })
  })

  describe('log file: append', () => {
    test('writes at the valid size and moves it on', async () => {
      const files = createSegment(backend, tempDir())
      const batches = [rawBatch(), rawBatch({ baseOffset: 1n, payloadBytes: 300 })]
      for (const batch of batches) append(files, batch)
      expect(files.log.sizeInBytes).toBe(71 + 361)
      expect(readFileSync(files.log.path)).toEqual(Buffer.concat(batches))
      await closeSegment(files)
    })

    test('writes only the first `length` bytes', async () => {
      const { log, offsetIndex, timeIndex } = createSegment(backend, tempDir())
      const bytes = Buffer.concat([rawBatch(), Buffer.alloc(50, 0xee)])
      log.append({ bytes, length: 71, seal: false }, offsetIndex, timeIndex)
      expect(readFileSync(log.path)).toEqual(rawBatch())
      await closeSegment({ log, offsetIndex, timeIndex })
    })

    test('seal stores the checksum, in the caller’s bytes too, and covers no more than `length`', async () => {
      const { log, offsetIndex, timeIndex } = createSegment(backend, tempDir())
      const right = rawBatch({ payloadBytes: 33 })
      const bytes = Buffer.concat([right, Buffer.alloc(9, 0xee)])
      bytes.fill(0xab, 17, 21)
      log.append({ bytes, length: right.length, seal: true }, offsetIndex, timeIndex)
      expect(readFileSync(log.path)).toEqual(right)
      expect(bytes.subarray(0, right.length)).toEqual(right)
      await closeSegment({ log, offsetIndex, timeIndex })
    })

    test('appends the index entries that come with it', async () => {
      const files = createSegment(backend, tempDir())
      append(files, rawBatch(), { offsetEntries: offsetEntries([0, 0]), timeEntries: timeEntries([5n, 0]) })
      append(files, rawBatch({ baseOffset: 1n }), { offsetEntries: offsetEntries([1, 71], [2, 80]) })
      expect(files.offsetIndex.entries).toBe(3)
      expect(files.timeIndex.entries).toBe(1)
      expect(readFileSync(files.offsetIndex.path).subarray(0, 24)).toEqual(
        offsetEntries([0, 0], [1, 71], [2, 80]),
      )
      expect(readFileSync(files.timeIndex.path).subarray(0, 12)).toEqual(timeEntries([5n, 0]))
      await closeSegment(files)
    })

    test('known faults 208 and 209: input may be reused as soon as the call returns', async () => {
      const files = createSegment(backend, tempDir())
      const batch = rawBatch()
      const entries = offsetEntries([0, 0])
      append(files, batch, { offsetEntries: entries })
      batch.fill(0)
      entries.fill(0xff)
      expect(files.log.readBlocking(0, 71)).toEqual(rawBatch())
      expect(files.offsetIndex.entry(0)).toEqual({ relativeOffset: 0, position: 0 })
      await closeSegment(files)
    })

    test.each([
      ['offset', { offsetEntries: offsetEntries([1, 0], [2, 0], [3, 0]) }],
      ['time', { offsetEntries: offsetEntries([1, 0]), timeEntries: timeEntries([1n, 1], [2n, 2]) }],
    ])('no room in the %s index refuses it all', async (_, entries) => {
      const files = createSegment(backend, tempDir(), { capacityBytes: 23 })
      append(files, rawBatch())
      const before = contentOf(files)
      expect(errorFrom(() => append(files, rawBatch(), entries))).toMatchObject({ code: 'ERR_NO_ROOM' })
      expect(contentOf(files)).toEqual(before)
      await closeSegment(files)
    })

    test('a log cannot grow beyond what positions reach', async () => {
      const directory = tempDir()
      const files = createSegment(backend, directory)
      await files.log.close()
      truncateSync(files.log.path, 2 ** 31 - 50)
      const log = backend.openLogFile(files.log.path, { mode: 'write', baseOffset: 0n })
      expect(errorFrom(() => append({ ...files, log }, rawBatch()))).toMatchObject({ code: 'ERR_NO_ROOM' })
      expect(log.sizeInBytes).toBe(2 ** 31 - 50)
      expect(statSync(log.path).size).toBe(2 ** 31 - 50)
      await closeSegment({ ...files, log })
    })

    test.skipIf(process.platform !== 'linux')('a write that cannot be cut back says `damaged`', async () => {
      const files = createSegment(backend, tempDir())
      const path = join(tempDir(), 'full.log')
      symlinkSync('/dev/full', path)
      const log = backend.openLogFile(path, { mode: 'write', baseOffset: 0n })
      const error = errorFrom(() => append({ ...files, log }, rawBatch()))
      // Not ERR_DISK_FULL: that code promises that the files are as before.
      expect(error).toMatchObject({ code: 'ERR_IO', errno: 'ENOSPC', syscall: 'write', damaged: true, path })
      await closeSegment({ ...files, log })
    })
  })

  describe('log file: cut', () => {
    test('truncate cuts file and valid size, and appending goes on there', async () => {
      const files = createSegment(backend, tempDir())
      append(files, rawBatch())
      append(files, rawBatch({ baseOffset: 1n }))
      files.log.truncate(71)
      expect(files.log.sizeInBytes).toBe(71)
      expect(statSync(files.log.path).size).toBe(71)
      append(files, rawBatch({ baseOffset: 5n }))
      expect(readFileSync(files.log.path)).toEqual(Buffer.concat([rawBatch(), rawBatch({ baseOffset: 5n })]))
      await closeSegment(files)
    })

    test.each([-1, 1, 0.5])('truncate of an empty log to %s is a RangeError', async (size) => {
      const files = createSegment(backend, tempDir())
      expect(errorFrom(() => files.log.truncate(size))).toBeInstanceOf(RangeError)
      await closeSegment(files)
    })

    test('known fault 13: a preallocated file has its length at once, is no larger to readers, and trim cuts the tail', async () => {
      const files = createSegment(backend, tempDir(), { preallocateBytes: 10_000 })
      expect(statSync(files.log.path).size).toBe(10_000)
      expect(files.log.sizeInBytes).toBe(0)
      append(files, rawBatch())
      expect(statSync(files.log.path).size).toBe(10_000)
      expect(files.log.readBlocking(0, 10_000)).toEqual(rawBatch())
      files.log.trim()
      expect(readFileSync(files.log.path)).toEqual(rawBatch())
      await closeSegment(files)
    })

    test('a preallocated file grows where more is appended', async () => {
      const files = createSegment(backend, tempDir(), { preallocateBytes: 100 })
      append(files, rawBatch())
      append(files, rawBatch({ baseOffset: 1n }))
      expect(statSync(files.log.path).size).toBe(142)
      await closeSegment(files)
    })

    test('trim and truncate do not touch a file that has its length', async () => {
      const files = createSegment(backend, tempDir())
      append(files, rawBatch())
      utimesSync(files.log.path, 1_000, 1_000)
      files.log.trim()
      files.log.truncate(71)
      expect(statSync(files.log.path).mtimeMs).toBe(1_000_000)
      await closeSegment(files)
    })
  })

  describe('log file: closed', () => {
    test('close is idempotent, and every use after it is ERR_CLOSED', async () => {
      const files = createSegment(backend, tempDir())
      append(files, rawBatch())
      await Promise.all([files.log.close(), files.log.close()])
      await files.log.close()
      const bounds = { fromPosition: 0, endPosition: 71, maxBytes: 71, minOneBatch: true }
      const query = { timestamp: 0, firstOffset: 0, endOffset: 1, endPosition: 71 }
      const uses = [
        () => append(files, rawBatch()),
        () => files.log.truncate(0),
        () => files.log.translate(files.offsetIndex, 0),
        () => files.log.sliceIfCached(files.offsetIndex, 0, bounds),
        () => files.log.sliceBlocking(files.offsetIndex, 0, bounds),
        () => files.log.findTimeIfCached(files.offsetIndex, files.timeIndex, query),
        () => files.log.readBlocking(0, 1),
        () => files.log.readInto(Buffer.alloc(1), 0),
        () => files.log.readIfCached(0, 1),
      ]
      for (const use of uses)
        expect(errorFrom(use)).toMatchObject({ code: 'ERR_CLOSED', path: files.log.path })
      await closeSegment(files)
    })
  })
}
