/** What only the native backend has: handles, mappings, the page cache. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { NativeAddon } from '../../lib/backend/native/addon.js'
import { Answers } from '../../lib/backend/native/answers.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { rawBatch } from '../support/batches.js'
import { errorFrom } from '../support/errors.js'
import { numbered } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { nativeUnderTest } from '../support/native.js'
import { fcOptions } from '../support/random.js'
import { append, closeSegment, createSegment, offsetEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const native = nativeUnderTest()
const { backend, addon } = native ?? ({} as NonNullable<typeof native>)

describe.skipIf(native === undefined)('native handles', () => {
  const NO_HANDLE = { code: 'ERR_INVALID_ARG_TYPE' }

  function openLog(name = 'log'): number {
    return addon.log_open(join(tempDir(), name), 0, 0n, 0) ?? expect.fail('not opened')
  }

  test('a closed handle is refused, also after its place is used again', () => {
    const stale = openLog()
    addon.log_close(stale)
    expect(errorFrom(() => addon.log_truncate(stale, 0))).toMatchObject(NO_HANDLE)
    expect(errorFrom(() => addon.log_close(stale))).toMatchObject(NO_HANDLE)
    const next = openLog()
    expect(next).not.toBe(stale)
    expect(errorFrom(() => addon.log_truncate(stale, 0))).toMatchObject(NO_HANDLE)
    addon.log_truncate(next, 0)
    addon.log_close(next)
  })

  test('a handle of another kind is refused', () => {
    const log = openLog()
    expect(errorFrom(() => addon.index_trim(log))).toMatchObject(NO_HANDLE)
    expect(errorFrom(() => addon.lock_release(log))).toMatchObject(NO_HANDLE)
    expect(errorFrom(() => addon.lane_close(log, 1))).toMatchObject(NO_HANDLE)
    addon.log_close(log)
  })

  test('known fault 212: any arguments end in an answer or an error that says which', async () => {
    const directory = tempDir()
    const lane = addon.lane_open(() => undefined)
    const times = addon.index_open(join(directory, 't'), 1, 0, 1200, true)
    const offsets = addon.index_open(join(directory, 'o'), 0, 0, 800, true)
    const log = addon.log_open(join(directory, 'l'), 0, 0n, 0)
    const handles = fc.constantFrom<unknown>(log, offsets, times, lane)
    const bytes = fc.uint8Array({ maxLength: 200 })
    const small = fc.integer({ min: -3, max: 200 })
    const odd = fc.constantFrom<unknown>(
      NaN,
      Infinity,
      -1,
      2 ** 31,
      2 ** 53,
      1n,
      2n ** 64n,
      '',
      null,
      undefined,
      {},
      [],
    )
    const argument = fc.oneof({ weight: 4, arbitrary: handles }, bytes, small, odd, fc.boolean())
    // Those that end an object would leave nothing to test the others with.
    const names = Object.entries(addon)
      .filter(([name, value]) => typeof value === 'function' && !/_(open|close|acquire)$/.test(name))
      .map(([name]) => name)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(argument, { maxLength: 12 }), (name, args) => {
        const call = addon[name as keyof typeof addon] as unknown as (...args: unknown[]) => unknown
        try {
          call(...args)
        } catch (error) {
          expect(['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE']).toContain((error as { code?: string }).code)
        }
      }),
      fcOptions(20_000),
    )
    for (const close of [addon.log_close, addon.index_close]) expect(() => close(lane)).toThrow(TypeError)
    addon.log_close(log ?? -1)
    addon.index_close(offsets ?? -1)
    addon.index_close(times ?? -1)
    await new Promise<void>((resolve) => {
      const last = addon.lane_open(() => resolve())
      addon.lane_close(lane, 2)
      addon.lane_close(last, 1)
    })
  })

  test('files of the portable backend, or of the other kind, are refused', async () => {
    const files = createSegment(backend, tempDir())
    const foreign = files.timeIndex as unknown as typeof files.offsetIndex
    expect(errorFrom(() => files.log.translate(foreign, 0))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    await closeSegment(files)
  })
})

describe.skipIf(native === undefined || process.platform !== 'linux')('native index mappings', () => {
  afterEach(() => {
    delete process.env.PARTITION_LOG_MMAP
  })

  function isMapped(path: string): boolean {
    return readFileSync('/proc/self/maps', 'utf8').includes(path)
  }

  function indexWithEntry() {
    const path = join(tempDir(), '00000000000000000000.index')
    const index = backend.openIndexFile(path, { kind: 'offset', mode: 'create', capacityBytes: 1 << 20 })
    index.append(offsetEntries([5, 50]))
    return index
  }

  test('known faults 22 and 23: an index is mapped from its first lookup on, until it is cut or closed', async () => {
    const index = indexWithEntry()
    expect(isMapped(index.path)).toBe(false)
    expect(index.lookup(9)).toEqual({ relativeOffset: 5, position: 50 })
    expect(isMapped(index.path)).toBe(true)
    index.append(offsetEntries([7, 70]))
    expect(index.lookup(9)).toEqual({ relativeOffset: 7, position: 70 })
    index.truncate(1)
    expect(isMapped(index.path)).toBe(false)
    expect(index.lookup(9)).toEqual({ relativeOffset: 5, position: 50 })
    index.trim()
    expect(isMapped(index.path)).toBe(false)
    expect(index.entry(0)).toEqual({ relativeOffset: 5, position: 50 })
    await index.close()
    expect(isMapped(index.path)).toBe(false)
  })

  test('known fault 22: a resize leaves no mapping of the old length', async () => {
    const index = indexWithEntry()
    for (const capacityBytes of [1 << 21, 1 << 12]) {
      expect(index.lookup(9)).toEqual({ relativeOffset: 5, position: 50 })
      expect(isMapped(index.path)).toBe(true)
      index.resize(capacityBytes)
      expect(isMapped(index.path)).toBe(false)
    }
    await index.close()
  })

  test('known faults 22 and 23: a log has mappings of its open segments alone, and none once it is closed', async () => {
    const config = { indexIntervalBytes: 0, segmentIndexBytes: 4096, fileDeleteDelayMs: 0 }
    const log = await openLogOn(testMachine({ backend }), join(tempDir(), 'orders-0'), { config })
    const mapped = () => readFileSync('/proc/self/maps', 'utf8').split(log.path).length - 1
    for (let n = 0; n < 20; n++) {
      log.append(numbered(2, n * 3))
      log.append(numbered(1, n * 3 + 2))
      log.roll()
    }
    expect(mapped()).toBe(0)
    for (let offset = 0; offset < 60; offset++) log.locate(offset)
    // Of each at most its two indexes.
    expect(mapped()).toBeGreaterThan(0)
    expect(mapped()).toBeLessThanOrEqual(2 * log.segments.length)
    await log.truncateTo(9)
    expect(mapped()).toBeLessThanOrEqual(2 * log.segments.length)
    await log.close()
    expect(mapped()).toBe(0)
  })

  test('PARTITION_LOG_MMAP=0 maps nothing and answers the same', async () => {
    process.env.PARTITION_LOG_MMAP = '0'
    const index = indexWithEntry()
    expect(index.lookup(9)).toEqual({ relativeOffset: 5, position: 50 })
    expect(isMapped(index.path)).toBe(false)
    await index.close()
  })

  test('known fault 29: an index that is only read is never mapped: its directory may be another process’s', async () => {
    const written = indexWithEntry()
    const read = backend.openIndexFile(written.path, { kind: 'offset', mode: 'read', capacityBytes: 0 })
    expect(read.entry(0)).toEqual({ relativeOffset: 5, position: 50 })
    expect(isMapped(written.path)).toBe(false)
    await Promise.all([written.close(), read.close()])
  })
})

describe('native failures as errors', () => {
  /** What native code leaves in its answers when a write of the log failed. */
  function failedWrite(errno: number, damaged: boolean): Answers {
    const numbers = new Int32Array(16)
    numbers.set([-errno, 1, 4096, 0, damaged ? 1 : 0])
    return new Answers({
      numbers,
      bigs: new BigInt64Array(4),
      callNames: ['none', 'write'],
    } as unknown as NativeAddon)
  }

  test('a full disk, or a full quota, that was cut back', () => {
    for (const errno of ['ENOSPC', 'EDQUOT'] as const) {
      const error = failedWrite(constants.errno[errno], false).writeFailure('a.log')
      expect(error).toMatchObject({
        code: 'ERR_DISK_FULL',
        syscall: 'write',
        errno,
        path: 'a.log',
        position: 4096,
      })
      expect(error).not.toHaveProperty('damaged')
    }
  })

  test('a full disk that could not be cut back is not called one', () => {
    const error = failedWrite(constants.errno.ENOSPC, true).writeFailure('a.log')
    expect(error).toMatchObject({ code: 'ERR_IO', errno: 'ENOSPC', damaged: true, position: 4096 })
  })
})

describe.skipIf(native === undefined)('native reads of the page cache', () => {
  const bounds = { fromPosition: 0, endPosition: 1 << 20, maxBytes: 1 << 20, minOneBatch: true }

  test.skipIf(process.platform !== 'linux')('bytes just written are answered in the same turn', async () => {
    const files = createSegment(backend, tempDir())
    append(files, rawBatch({ payloadBytes: 5000 }))
    append(files, rawBatch({ baseOffset: 1n }))
    const slice = files.log.sliceIfCached(files.offsetIndex, 1, bounds)
    expect(slice).toEqual(files.log.sliceBlocking(files.offsetIndex, 1, bounds))
    expect(slice?.bytes.length).toBe(71)
    expect(files.log.readIfCached(files.log.sizeInBytes - 71, 100)).toEqual(slice?.bytes)
    await closeSegment(files)
  })

  test.skipIf(!canDropCache())('bytes that must be fetched from the disk are not waited for', async () => {
    const files = createSegment(backend, tempDir())
    for (let i = 0; i < 40; i++) append(files, rawBatch({ baseOffset: BigInt(i), payloadBytes: 100_000 }))
    const lane = backend.openLane()
    await lane.flush([files.log])
    dropCache(files.log.path)
    expect(files.log.sliceIfCached(files.offsetIndex, 39, bounds)).toBeUndefined()
    expect(files.log.readIfCached(39 * 100_061, 10)).toBeUndefined()
    const slice = await lane.slice(files.log, files.offsetIndex, 39, bounds)
    expect(slice.translation.batch).toMatchObject({ baseOffset: 39n })
    expect(files.log.sliceIfCached(files.offsetIndex, 39, bounds)).toEqual(slice)
    await lane.close()
    await closeSegment(files)
  })
})

/** Only a file system with a disk below it can have bytes that are not in memory. */
function canDropCache(): boolean {
  const [EXT, XFS] = [0xef53, 0x58465342]
  const { type } = statfsSync(tempDir())
  return process.platform === 'linux' && (type === EXT || type === XFS) && existsSync('/bin/dd')
}

function dropCache(path: string): void {
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}
