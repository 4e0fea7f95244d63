/** Appends on a full disk: all or nothing, whichever of the three files has no space. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
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
import { smallDisk } from '../support/small-disk.js'

/** The offset index grows on pages of its own, so that one file can be full and another not. */
const CAPACITY = 4 * 4096

export function describeDiskFull(makeBackend: () => Backend): void {
  const backend = makeBackend()
  const probe = smallDisk(64 << 10)
  if (probe === undefined) console.warn('full disks are not tested: no tmpfs can be mounted here')

  describe.skipIf(probe === undefined)('full disk', () => {
    test('known fault 214: no space for the log', async () => {
      const { files, filler } = fullDisk()
      const before = contentOf(files)
      const error = errorFrom(() => append(files, rawBatch({ baseOffset: 1n, payloadBytes: 9000 })))
      expect(error).toMatchObject({
        code: 'ERR_DISK_FULL',
        syscall: 'write',
        errno: 'ENOSPC',
        path: files.log.path,
      })
      expect(error.damaged).toBeUndefined()
      expect(contentOf(files)).toEqual(before)
      rmSync(filler)
      append(files, rawBatch({ baseOffset: 1n, payloadBytes: 9000 }))
      expect(files.log.sizeInBytes).toBe(71 + 9061)
      await closeSegment(files)
    })

    test('no space for the log of a preallocated file', async () => {
      const { files } = fullDisk(6000)
      const before = contentOf(files)
      expect(errorFrom(() => append(files, rawBatch({ payloadBytes: 9000 })))).toMatchObject({
        code: 'ERR_DISK_FULL',
      })
      expect(contentOf(files)).toEqual(before)
      await closeSegment(files)
    })

    test('known fault 29: no space for the offset index', async () => {
      const { files, filler } = fullDisk()
      const before = contentOf(files)
      const entries = { offsetEntries: offsetEntries([1, 71]) }
      const error = errorFrom(() => append(files, rawBatch({ baseOffset: 1n }), entries))
      expect(error).toMatchObject({ code: 'ERR_DISK_FULL', syscall: 'write', path: files.offsetIndex.path })
      expect(contentOf(files)).toEqual(before)
      rmSync(filler)
      append(files, rawBatch({ baseOffset: 1n }), entries)
      expect(files.offsetIndex.entry(0)).toEqual({ relativeOffset: 1, position: 71 })
      await closeSegment(files)
    })

    test('known fault 29: no space for the time index, after the offset index took its entry', async () => {
      const { files } = fullDisk(undefined, { offsetEntries: offsetEntries([0, 0]) })
      const before = contentOf(files)
      const entries = { offsetEntries: offsetEntries([1, 71]), timeEntries: timeEntries([9n, 1]) }
      const error = errorFrom(() => append(files, rawBatch({ baseOffset: 1n }), entries))
      expect(error).toMatchObject({ code: 'ERR_DISK_FULL', syscall: 'write', path: files.timeIndex.path })
      expect(contentOf(files)).toEqual(before)
      await closeSegment(files)
    })

    test('an index can be cut without space', async () => {
      const { files } = fullDisk(undefined, { offsetEntries: offsetEntries([0, 0], [1, 71]) })
      files.offsetIndex.truncate(1)
      expect(files.offsetIndex.lookup(100)).toEqual({ relativeOffset: 0, position: 0 })
      await closeSegment(files)
    })
  })

  /** A segment with one batch on a disk on which not a page is left. */
  function fullDisk(preallocateBytes?: number, entries = {}) {
    const directory = smallDisk(64 << 10) ?? expect.fail('no second tmpfs')
    const options = {
      capacityBytes: CAPACITY,
      ...(preallocateBytes === undefined ? {} : { preallocateBytes }),
    }
    const files = createSegment(backend, directory, options)
    append(files, rawBatch(), entries)
    const filler = join(directory, 'filler')
    const { bavail, bsize } = statfsSync(directory)
    writeFileSync(filler, Buffer.alloc(bavail * bsize))
    return { files, filler }
  }
}
