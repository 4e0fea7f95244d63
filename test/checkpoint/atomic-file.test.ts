/** How a small file is replaced: at every moment the old content or the new one is there. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Files, Lane } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { writeAtomically } from '../../lib/checkpoint/atomic-file.js'
import { codeOf } from '../support/errors.js'
import { testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

/** Notes what is asked of the machine, by the name of the file. */
function recorded(steps: string[]): { files: Files; lane: Lane } {
  const note = (step: string, path: string) => steps.push(`${step} ${path.slice(path.lastIndexOf('/') + 1)}`)
  const files = {
    ...nodeFiles,
    write: async (path: string) => void note('write', path),
    rename: async (from: string, to: string) =>
      void note(`rename to ${to.slice(to.lastIndexOf('/') + 1)}`, from),
  }
  return { files, lane: { flushPath: async (path: string) => void note('flush', path) } as unknown as Lane }
}

it('writes beside, flushes, renames, and flushes the directory, in this order', async () => {
  const steps: string[] = []
  await writeAtomically(recorded(steps), '/data/checkpoint', 'new')
  expect(steps).toEqual([
    'write checkpoint.tmp',
    'flush checkpoint.tmp',
    'rename to checkpoint checkpoint.tmp',
    'flush data',
  ])
})

it('leaves the old content where a step fails', async () => {
  const directory = tempDir()
  const path = join(directory, 'checkpoint')
  writeFileSync(path, 'old')
  const lane = {
    flushPath: async () => {
      throw Object.assign(new Error('no'), { code: 'ERR_IO' })
    },
  } as unknown as Lane
  expect(await codeOf(() => writeAtomically({ files: nodeFiles, lane }, path, 'new'))).toBe('ERR_IO')
  expect(readFileSync(path, 'utf8')).toBe('old')
})

it('replaces what is there, a left over temporary file too', async () => {
  const directory = tempDir()
  const path = join(directory, 'checkpoint')
  writeFileSync(path, 'old')
  writeFileSync(`${path}.tmp`, 'a longer text from a write that was stopped')
  const { backend } = testMachine()
  const lane = backend.openLane()
  await writeAtomically({ files: nodeFiles, lane }, path, 'new')
  await lane.close()
  expect(readdirSync(directory)).toEqual(['checkpoint'])
  expect(readFileSync(path, 'utf8')).toBe('new')
})
