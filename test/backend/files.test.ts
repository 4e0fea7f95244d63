/** Entries of a directory, as the engine asks for them. */
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../lib/backend/files.js'
import { codeOf } from '../support/errors.js'
import { tempDir } from '../support/temp-dir.js'

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

function filled(): string {
  const path = tempDir()
  writeFileSync(join(path, 'a.log'), 'abc')
  writeFileSync(join(path, 'b.index'), 'defgh')
  mkdirSync(join(path, 'c'))
  symlinkSync(join(path, 'b.index'), join(path, 'd'))
  symlinkSync(join(path, 'c'), join(path, 'e'))
  symlinkSync(join(path, 'nowhere'), join(path, 'f'))
  for (const name of ['a.log', 'b.index', 'c']) utimesSync(join(path, name), 1000, 1000)
  return path
}

test('a listing tells length and time of each file, links followed where they lead somewhere', async () => {
  const entries = (await nodeFiles.list(filled())).sort(byName)
  const modifiedMs = 1_000_000
  expect(new Set(entries.map(({ identity }) => identity)).size).toBe(4)
  expect(entries.map(({ identity: _, ...entry }) => entry)).toEqual([
    { name: 'a.log', isDirectory: false, sizeInBytes: 3, modifiedMs },
    { name: 'b.index', isDirectory: false, sizeInBytes: 5, modifiedMs },
    { name: 'c', isDirectory: true, sizeInBytes: 0, modifiedMs },
    { name: 'd', isDirectory: false, sizeInBytes: 5, modifiedMs },
    { name: 'e', isDirectory: true, sizeInBytes: 0, modifiedMs },
    { name: 'f', isDirectory: false, sizeInBytes: expect.any(Number), modifiedMs: expect.any(Number) },
  ])
})

test('it looks only at files that are to be measured, and knows directories all the same', async () => {
  const entries = (await nodeFiles.list(filled(), (name) => name.endsWith('.log'))).sort(byName)
  expect(entries.map(({ name, isDirectory }) => [name, isDirectory])).toEqual([
    ['a.log', false],
    ['b.index', false],
    ['c', true],
    ['d', false],
    ['e', true],
    ['f', false],
  ])
  expect(entries.slice(0, 3)).toMatchObject([
    { sizeInBytes: 3, modifiedMs: 1_000_000 },
    { sizeInBytes: 0, modifiedMs: 0 },
    { sizeInBytes: 0, modifiedMs: 0 },
  ])
})

test('a look at a path tells what a listing tells of it', async () => {
  const directory = filled()
  for (const { name, isDirectory: _, ...entry } of await nodeFiles.list(directory))
    if (name !== 'f') expect(await nodeFiles.look(join(directory, name))).toEqual(entry)
  expect(await nodeFiles.look(join(directory, 'none'))).toBeUndefined()
})

test('a directory that is not there is an error', async () => {
  expect(await codeOf(() => nodeFiles.list(join(tempDir(), 'none'), () => false))).toBe('ERR_IO')
})
