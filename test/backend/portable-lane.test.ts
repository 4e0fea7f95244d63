/** A lane whose thread ends although nobody asked it to. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { describe, expect, test, vi } from 'vitest'
import { createPortableBackend } from '../../lib/backend/portable/index.js'
import { tempDir } from '../support/temp-dir.js'

const threads: Worker[] = vi.hoisted(() => [])

vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:worker_threads')>()
  class NotedWorker extends original.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args)
      threads.push(this)
    }
  }
  return { ...original, Worker: NotedWorker }
})

describe('a lane’s thread', () => {
  const backend = createPortableBackend()

  test('starts with the first operation, and one serves all', async () => {
    threads.length = 0
    const lane = backend.openLane()
    expect(threads).toHaveLength(0)
    await lane.flushPath(tempDir())
    await Promise.all([lane.flushPath(tempDir()), lane.flushPath(tempDir())])
    expect(threads).toHaveLength(1)
    await lane.close()
  })

  test('that ends fails what is pending, lets go of the files, and is replaced', async () => {
    threads.length = 0
    const path = join(tempDir(), 'a.log')
    writeFileSync(path, Buffer.alloc(100))
    const log = backend.openLogFile(path, { mode: 'write', baseOffset: 0n })
    const lane = backend.openLane()
    const flushes = [lane.flush([log]), lane.flush([log])]
    const outcomes = Promise.allSettled(flushes)
    // At once: the thread has not yet started, so neither can have succeeded.
    await threads[0]?.terminate()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_IO', name: 'IoError' } })
    }
    await lane.flush([log])
    expect(threads).toHaveLength(2)
    await log.close()
    await lane.close()
  })
})
