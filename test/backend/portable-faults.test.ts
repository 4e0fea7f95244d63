/** The portable backend over a system whose calls are short, interrupted or fail. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createPortableBackend } from '../../lib/backend/portable/index.js'
import { rawBatch } from '../support/batches.js'
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

const backend = createPortableBackend()

afterEach(() => {
  vi.restoreAllMocks()
})

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code, errno: -1, syscall: 'injected' })
}

type Positioned = (fd: number, buffer: Uint8Array, offset: number, length: number, position: number) => number

/** Calls move at most `most` bytes, and every second one is interrupted instead. */
function makeShort(name: 'readSync' | 'writeSync', most: number): void {
  const real = fs[name] as unknown as Positioned
  let calls = 0
  vi.spyOn(fs, name).mockImplementation(((
    ...[fd, buffer, offset, length, position]: Parameters<Positioned>
  ) => {
    if (calls++ % 2 === 0) throw systemError('EINTR')
    return real(fd, buffer, offset, Math.min(length, most), position)
  }) as never)
}

describe('short and interrupted calls', () => {
  test('writes go on until all is written', async () => {
    const files = createSegment(backend, tempDir())
    makeShort('writeSync', 7)
    append(files, rawBatch(), {
      offsetEntries: offsetEntries([0, 0], [1, 5]),
      timeEntries: timeEntries([3n, 0]),
    })
    vi.restoreAllMocks()
    expect(files.log.readBlocking(0, 1000)).toEqual(rawBatch())
    expect(files.offsetIndex.entry(1)).toEqual({ relativeOffset: 1, position: 5 })
    expect(files.timeIndex.entry(0)).toEqual({ timestamp: 3n, relativeOffset: 0 })
    await closeSegment(files)
  })

  test('reads go on until all is read', async () => {
    const files = createSegment(backend, tempDir())
    append(files, rawBatch(), { offsetEntries: offsetEntries([0, 0]) })
    append(files, rawBatch({ baseOffset: 1n }), { offsetEntries: offsetEntries([1, 71]) })
    makeShort('readSync', 7)
    expect(files.log.readBlocking(71, 71)).toEqual(rawBatch({ baseOffset: 1n }))
    expect(files.offsetIndex.lookup(1)).toEqual({ relativeOffset: 1, position: 71 })
    expect(files.log.translate(files.offsetIndex, 1)).toMatchObject({ stop: 'found', position: 71 })
    vi.restoreAllMocks()
    await closeSegment(files)
  })

  test('a write that writes nothing is an error, not tried for ever', async () => {
    const files = createSegment(backend, tempDir())
    vi.spyOn(fs, 'writeSync').mockReturnValue(0)
    expect(errorFrom(() => append(files, rawBatch()))).toMatchObject({
      code: 'ERR_IO',
      syscall: 'write',
      errno: 'EIO',
    })
    vi.restoreAllMocks()
    await closeSegment(files)
  })
})

describe('failing calls', () => {
  const entries = { offsetEntries: offsetEntries([1, 71]), timeEntries: timeEntries([4n, 1]) }

  // Three files, and each write may fail half way: the fourth call is the first that is not reached.
  test.each([
    [1, 'ENOSPC'],
    [2, 'ENOSPC'],
    [3, 'ENOSPC'],
    [1, 'EIO'],
    [2, 'EIO'],
    [3, 'EIO'],
  ])('write %i of an append fails with %s', async (failing, errno) => {
    const files = createSegment(backend, tempDir(), { preallocateBytes: 500 })
    append(files, rawBatch(), { offsetEntries: offsetEntries([0, 0]) })
    const before = contentOf(files)
    failWrite(failing, errno)
    const error = errorFrom(() => append(files, rawBatch({ baseOffset: 1n }), entries))
    vi.restoreAllMocks()
    const path = [files.log, files.offsetIndex, files.timeIndex][failing - 1]?.path
    expect(error).toMatchObject({
      code: errno === 'ENOSPC' ? 'ERR_DISK_FULL' : 'ERR_IO',
      syscall: 'write',
      errno,
      path,
    })
    expect(error.damaged).toBeUndefined()
    expect(contentOf(files)).toEqual(before)
    append(files, rawBatch({ baseOffset: 1n }), entries)
    expect(files.timeIndex.entries).toBe(1)
    await closeSegment(files)
  })

  test.each([1, 2, 3])('write %i fails and the cut-back as well', async (failing) => {
    const files = createSegment(backend, tempDir())
    failWrite(failing, 'ENOSPC')
    const cut = vi.spyOn(fs, 'ftruncateSync').mockImplementation(() => {
      throw systemError('EIO')
    })
    const error = errorFrom(() => append(files, rawBatch(), entries))
    expect(cut).toHaveBeenCalled()
    vi.restoreAllMocks()
    expect(error).toMatchObject({ code: 'ERR_IO', syscall: 'write', errno: 'ENOSPC', damaged: true })
    expect(error.message.match(/could not be cut back/g)).toHaveLength(1)
    await closeSegment(files)
  })

  test('a file that cannot be given its length is not left behind', () => {
    const directory = tempDir()
    vi.spyOn(fs, 'ftruncateSync').mockImplementation(() => {
      throw systemError('ENOSPC')
    })
    const log = { mode: 'create', baseOffset: 0n, preallocateBytes: 100 } as const
    const index = { mode: 'create', kind: 'time', capacityBytes: 100 } as const
    expect(errorFrom(() => backend.openLogFile(join(directory, 'a'), log))).toMatchObject({
      code: 'ERR_DISK_FULL',
    })
    expect(errorFrom(() => backend.openIndexFile(join(directory, 'b'), index))).toMatchObject({
      code: 'ERR_DISK_FULL',
    })
    vi.restoreAllMocks()
    expect(fs.readdirSync(directory)).toEqual([])
  })

  test('a failed read names the position', async () => {
    const files = createSegment(backend, tempDir())
    append(files, rawBatch())
    vi.spyOn(fs, 'readSync').mockImplementation(() => {
      throw systemError('EIO')
    })
    const error = { code: 'ERR_IO', syscall: 'read', errno: 'EIO', path: files.log.path, position: 20 }
    expect(errorFrom(() => files.log.readBlocking(20, 10))).toMatchObject(error)
    vi.restoreAllMocks()
    await closeSegment(files)
  })

  /** The n-th write stores half of its bytes, then fails. */
  function failWrite(failing: number, errno: string): void {
    const real = fs.writeSync as unknown as Positioned
    let started = 0
    vi.spyOn(fs, 'writeSync').mockImplementation(((
      ...[fd, buffer, offset, length, position]: Parameters<Positioned>
    ) => {
      if (offset > 0) throw systemError(errno)
      const isFailing = ++started === failing
      return real(fd, buffer, offset, isFailing ? length >> 1 : length, position)
    }) as never)
  }
})
