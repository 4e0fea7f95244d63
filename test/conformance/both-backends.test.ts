/** Where the two backends meet: each must respect what the other holds. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bothBackends } from '../support/backend.js'
import { rawBatch } from '../support/batches.js'
import { errorFrom } from '../support/errors.js'
import { append, closeSegment, createSegment } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

describe('both backends', () => {
  const backends = bothBackends()
  const pairs = backends.flatMap((first) => backends.map((second) => [first, second] as const))
  const names = pairs.map(([first, second]) => [first.name, second.name] as const)

  test.skipIf(pairs.length === 0).each(names)('a lock of %s excludes %s', (firstName, secondName) => {
    const [first, second] =
      pairs.find((pair) => pair[0].name === firstName && pair[1].name === secondName) ?? expect.fail()
    const directory = tempDir()
    const lock = first.lockDirectory(directory)
    const error = errorFrom(() => second.lockDirectory(directory))
    expect(error).toMatchObject({ code: 'ERR_LOCKED', pid: process.pid })
    // A refusal leaves no trace, and the lock where it was.
    expect(errorFrom(() => second.lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED' })
    expect(errorFrom(() => first.lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED' })
    lock.release()
    expect(readdirSync(directory)).toEqual([])
    second.lockDirectory(directory).release()
  })

  test.skipIf(pairs.length === 0)('files of the one are a TypeError to the other', async () => {
    const [native, portable] = backends as readonly [(typeof pairs)[0][0], (typeof pairs)[0][0]]
    for (const [own, foreign] of [
      [native, portable],
      [portable, native],
    ] as const) {
      const files = createSegment(foreign, tempDir())
      append(files, rawBatch())
      const lane = own.openLane()
      await expect(lane.flush([files.log])).rejects.toBeInstanceOf(TypeError)
      await expect(lane.read(files.log, 0, 1)).rejects.toBeInstanceOf(TypeError)
      await Promise.all([lane.close(), closeSegment(files)])
    }
  })
})
