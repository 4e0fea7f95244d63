/** Lanes: order, life time, and that they answer as the blocking calls do. */
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Backend, Lane } from '../../lib/backend/contract.js'
import { rawBatch } from '../support/batches.js'
import { startChild } from '../support/child.js'
import { append, closeSegment, createSegment, offsetEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

export function describeLane(makeBackend: () => Backend): void {
  const backend = makeBackend()
  const lanes: Lane[] = []
  afterEach(async () => {
    await Promise.all(lanes.splice(0).map((lane) => lane.close()))
  })

  function openLane(): Lane {
    const lane = backend.openLane()
    lanes.push(lane)
    return lane
  }

  function segmentWithBatches(count = 3) {
    const files = createSegment(backend, tempDir())
    for (let i = 0; i < count; i++) append(files, rawBatch({ baseOffset: BigInt(i) }))
    return files
  }

  describe('lane: answers', () => {
    test('slice and read answer as the blocking calls', async () => {
      const files = segmentWithBatches()
      files.offsetIndex.append(offsetEntries([1, 71]))
      const lane = openLane()
      for (const [target, maxBytes] of [
        [0, 1000],
        [1, 10],
        [2, 71],
        [3, 71],
      ] as const) {
        const bounds = { fromPosition: 0, endPosition: 213, maxBytes, minOneBatch: true }
        const expected = files.log.sliceBlocking(files.offsetIndex, target, bounds)
        const slice = await lane.slice(files.log, files.offsetIndex, target, bounds)
        expect(slice).toEqual(expected)
        expect(Buffer.isBuffer(slice.bytes)).toBe(true)
      }
      const bytes = await lane.read(files.log, 70, 1000)
      expect(bytes).toEqual(files.log.readBlocking(70, 1000))
      expect(Buffer.isBuffer(bytes)).toBe(true)
      await closeSegment(files)
    })

    test('look tells lengths and times, in the order of the names', async () => {
      const directory = tempDir()
      writeFileSync(join(directory, 'a.log'), 'abc')
      writeFileSync(join(directory, 'ü.log'), '')
      symlinkSync('a.log', join(directory, 'link'))
      utimesSync(join(directory, 'a.log'), 1_234.567_891, 1_234.567_891)
      const lane = openLane()
      const [missing, a, empty, link] = await lane.look(directory, ['missing', 'a.log', 'ü.log', 'link'])
      const { mtimeMs, ino } = statSync(join(directory, 'a.log'))
      expect(missing).toBeUndefined()
      expect(a).toEqual({ sizeInBytes: 3, modifiedMs: mtimeMs, identity: ino })
      expect(empty?.sizeInBytes).toBe(0)
      expect(link).toEqual(a)
      expect(await lane.look(directory, [])).toEqual([])
      symlinkSync('ring', join(directory, 'ring'))
      const path = join(directory, 'ring')
      await expect(lane.look(directory, ['a.log', 'ring'])).rejects.toMatchObject({ errno: 'ELOOP', path })
    })

    test('an operation sees the files as they were when it was asked for', async () => {
      const files = segmentWithBatches(1)
      const lane = openLane()
      const whole = { fromPosition: 0, endPosition: 2 ** 31 - 1, maxBatches: 100, checkCrc: true }
      const early = lane.scan(files.log, whole)
      append(files, rawBatch({ baseOffset: 1n }))
      const late = lane.scan(files.log, whole)
      expect((await early).batches.count).toBe(1)
      expect((await late).batches.count).toBe(2)
      await closeSegment(files)
    })

    test('flush of all kinds of files, of a directory and of a file by path', async () => {
      const directory = tempDir()
      const files = createSegment(backend, directory)
      append(files, rawBatch(), { offsetEntries: offsetEntries([0, 0]) })
      const lane = openLane()
      await lane.flush([files.log, files.offsetIndex, files.timeIndex])
      await lane.flush([])
      await lane.flushPath(directory)
      await lane.flushPath(files.log.path)
      await closeSegment(files)
    })
  })

  describe('lane: order', () => {
    test('operations end in the order of their calls', async () => {
      const files = segmentWithBatches()
      const lane = openLane()
      const ended: number[] = []
      const operations = Array.from({ length: 60 }, (_, i) => {
        const run = [
          () => lane.flush([files.log]),
          () => lane.read(files.log, 0, 50),
          () => lane.flushPath(join(files.log.path, 'missing')).catch(() => undefined),
        ][i % 3] as () => Promise<unknown>
        return run().then(() => ended.push(i))
      })
      await Promise.all(operations)
      expect(ended).toEqual(Array.from({ length: 60 }, (_, i) => i))
      await closeSegment(files)
    })

    test('several lanes work on one file at once', async () => {
      const files = segmentWithBatches(15)
      const whole = { fromPosition: 0, endPosition: files.log.sizeInBytes, maxBatches: 100, checkCrc: true }
      const many = [openLane(), openLane(), openLane()]
      const scans = await Promise.all([...many, ...many, ...many].map((lane) => lane.scan(files.log, whole)))
      for (const { stop, batches } of scans)
        expect({ stop, count: batches.count }).toEqual({ stop: 'end', count: 15 })
      await closeSegment(files)
    })
  })

  describe('lane: errors', () => {
    test('a failed operation rejects with its cause, and the next one runs', async () => {
      const files = segmentWithBatches()
      const lane = openLane()
      const path = join(tempDir(), 'missing')
      await expect(lane.flushPath(path)).rejects.toMatchObject({
        code: 'ERR_IO',
        syscall: 'open',
        errno: 'ENOENT',
        path,
      })
      await lane.flush([files.log])
      await closeSegment(files)
    })

    test.skipIf(process.platform !== 'linux')('a flush that fails names the file', async () => {
      const path = join(tempDir(), 'null.log')
      symlinkSync('/dev/null', path)
      const log = backend.openLogFile(path, { mode: 'write', baseOffset: 0n })
      const error = { code: 'ERR_IO', syscall: 'fdatasync', errno: 'EINVAL', path }
      await expect(openLane().flush([log])).rejects.toMatchObject(error)
      await log.close()
    })

    test('closed files are ERR_CLOSED', async () => {
      const files = segmentWithBatches()
      await closeSegment(files)
      const lane = openLane()
      const bounds = { fromPosition: 0, endPosition: 71, maxBytes: 71, minOneBatch: true }
      const scan = { fromPosition: 0, endPosition: 71, maxBatches: 1, checkCrc: false }
      const error = { code: 'ERR_CLOSED' }
      await expect(lane.flush([files.timeIndex])).rejects.toMatchObject(error)
      await expect(lane.slice(files.log, files.offsetIndex, 0, bounds)).rejects.toMatchObject(error)
      await expect(lane.read(files.log, 0, 1)).rejects.toMatchObject(error)
      await expect(lane.scan(files.log, scan)).rejects.toMatchObject(error)
    })

    test('a file closed in the meantime stays open until its operations end', async () => {
      const files = segmentWithBatches()
      const lane = openLane()
      const order: string[] = []
      const reads = Array.from({ length: 20 }, () =>
        lane.read(files.log, 0, 213).then((bytes) => order.push(`${bytes.length}`)),
      )
      const closed = files.log.close().then(() => order.push('closed'))
      // The same name again: a reused descriptor must not be what the reads see.
      renameSync(files.log.path, `${files.log.path}.deleted`)
      writeFileSync(files.log.path, 'other')
      await Promise.all([...reads, closed])
      // The last read and `close` settle in one turn, in either order.
      expect(order.indexOf('closed')).toBeGreaterThanOrEqual(19)
      expect(order.filter((entry) => entry === '213').length).toBe(20)
      await closeSegment(files)
    })
  })

  describe('lane: life', () => {
    test('close waits for the queue, is idempotent, and later calls are ERR_CLOSED', async () => {
      const files = segmentWithBatches()
      const lane = backend.openLane()
      let ended = 0
      const work = Array.from({ length: 10 }, () => lane.flush([files.log]).then(() => ended++))
      await Promise.all([lane.close(), lane.close()])
      // The last flush and `close` may settle in one turn.
      expect(ended).toBeGreaterThanOrEqual(9)
      await Promise.all(work)
      await lane.close()
      await expect(lane.flush([files.log])).rejects.toMatchObject({ code: 'ERR_CLOSED' })
      await expect(lane.flushPath('/')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
      await closeSegment(files)
    })

    test('a lane that was never used closes', async () => {
      await backend.openLane().close()
    })

    test('closing keeps the process alive until it is done', async () => {
      const child = startChild(`
        const lane = backend.openLane()
        await lane.flushPath(${JSON.stringify(tempDir())})
        await lane.close()
        say('closed')`)
      expect(await child.nextLine()).toBe('closed')
      expect(await child.exited).toBe(0)
    })

    test('pending operations keep the process alive, an idle lane does not', async () => {
      const path = join(tempDir(), 'a')
      writeFileSync(path, 'a')
      const child = startChild(`
        const lane = backend.openLane()
        lane.flushPath(${JSON.stringify(path)}).then(() => lane.flushPath(${JSON.stringify(path)})).then(() => say('flushed'))`)
      expect(await child.nextLine()).toBe('flushed')
      expect(await child.exited).toBe(0)
      rmSync(path)
    })
  })
}
