/** Files made ahead of a segment: found by nobody, taken one by one, and the same as those made when they are needed. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Backend, SpareFiles } from '../../lib/backend/contract.js'
import { rawBatch } from '../support/batches.js'
import { append, closeSegment } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const CAPACITY = 100

export function describeSpareFiles(makeBackend: () => Backend): void {
  const backend = makeBackend()

  async function spareIn(directory: string): Promise<SpareFiles | undefined> {
    const lane = backend.openLane()
    const spare = await lane.makeSpare(directory, CAPACITY)
    await lane.close()
    return spare
  }

  function segmentOf(directory: string, spare: SpareFiles | undefined) {
    const index = { mode: 'create', capacityBytes: CAPACITY, spare } as const
    return {
      log: backend.openLogFile(join(directory, 'a.log'), { mode: 'create', baseOffset: 0n, spare }),
      offsetIndex: backend.openIndexFile(join(directory, 'a.index'), { ...index, kind: 'offset' }),
      timeIndex: backend.openIndexFile(join(directory, 'a.timeindex'), { ...index, kind: 'time' }),
    }
  }

  describe('spare files', () => {
    test('have no name, and become the files of a segment', async () => {
      const directory = tempDir()
      const spare = await spareIn(directory)
      expect(readdirSync(directory)).toEqual([])
      const files = segmentOf(directory, spare)
      spare?.close()
      spare?.close()
      const size = (name: string) => statSync(join(directory, name)).size
      expect(['a.log', 'a.index', 'a.timeindex'].map(size)).toEqual([0, 96, 96])
      expect(files.offsetIndex).toMatchObject({ entries: 0, capacity: 12, oddBytes: 0 })
      expect(files.timeIndex).toMatchObject({ entries: 0, capacity: 8, oddBytes: 0 })
      append(files, rawBatch({ baseOffset: 0n }))
      expect(files.log.sizeInBytes).toBe(size('a.log'))
      if (process.platform !== 'win32') expect(statSync(join(directory, 'a.log')).mode & 0o777).toBe(0o640)
      await closeSegment(files)
    })

    test('give way to a file that is there: it is emptied, as without them', async () => {
      const directory = tempDir()
      writeFileSync(join(directory, 'a.index'), 'left from a roll that failed half way')
      const spare = await spareIn(directory)
      const files = segmentOf(directory, spare)
      spare?.close()
      expect(files.offsetIndex).toMatchObject({ entries: 0, capacity: 12 })
      expect(readdirSync(directory).sort()).toEqual(['a.index', 'a.log', 'a.timeindex'])
      await closeSegment(files)
    })

    test('that were closed are made when they are needed', async () => {
      const directory = tempDir()
      const spare = await spareIn(directory)
      spare?.close()
      await closeSegment(segmentOf(directory, spare))
      expect(readdirSync(directory)).toHaveLength(3)
    })

    test('of a directory that is not there are refused, or none', async () => {
      const missing = join(tempDir(), 'missing')
      const answer = await spareIn(missing).catch((error) => error.errno)
      expect([undefined, 'ENOENT']).toContain(answer)
    })
  })
}
