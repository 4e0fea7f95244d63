/** Every row is whole: its fields, its data sets and the work behind it are there. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadRows, optionsOf, selectRows } from '../../bench/lib/rows.mjs'
import { faultsOfRow } from '../../bench/lib/shape.mjs'
import { root } from '../support/documents.js'

interface Row {
  readonly id: string
  readonly family: string
  readonly contenders: readonly string[]
  readonly data?: readonly string[]
  readonly quick: boolean
}

const rows = (await loadRows()) as Row[]

test.each(rows.map((row): [string, Row] => [row.id, row]))('%s has what a row has', (_id, row) => {
  expect(faultsOfRow(row)).toEqual([])
  expect(existsSync(join(root, 'bench/work', `${row.family}.mjs`))).toBe(true)
})

test('every data set that a row names is made by one module', async () => {
  const folder = join(root, 'bench/data')
  const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const modules = await Promise.all(names.map((name) => import(join(folder, name))))
  const made = modules.flatMap(({ data }) => Object.keys(data ?? {}))
  expect(new Set(made).size).toBe(made.length)
  expect(rows.flatMap(({ data }) => data ?? []).filter((name) => !made.includes(name))).toEqual([])
})

test('rows are chosen by id, by family, or by being quick', () => {
  const some = [
    { id: 'a', family: 'f', quick: true },
    { id: 'b', family: 'f', quick: false },
    { id: 'c', family: 'g', quick: true },
  ]
  const chosen = (only: string[] | null, size: string) =>
    selectRows(some, { only, size }).map(({ id }: { id: string }) => id)
  expect(chosen(null, 'short')).toEqual(['a', 'c'])
  expect(chosen(null, 'full')).toEqual(['a', 'b', 'c'])
  expect(chosen(['f'], 'short')).toEqual(['a', 'b'])
  expect(chosen(['c', 'a'], 'short')).toEqual(['a', 'c'])
  expect(() => chosen(['d'], 'short')).toThrow('d')
})

test('a smaller run has its options over those of a full one', () => {
  const row = { options: { a: 1, b: 1, c: 1 }, quickOptions: { b: 2, c: 2 }, smokeOptions: { c: 3 } }
  expect(optionsOf(row, 'full')).toEqual({ a: 1, b: 1, c: 1 })
  expect(optionsOf(row, 'short')).toEqual({ a: 1, b: 2, c: 2 })
  expect(optionsOf(row, 'smoke')).toEqual({ a: 1, b: 2, c: 3 })
})
