/** The documents are what the results make of them, and what that is for results that are known. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readResults } from '../../bench/lib/results.mjs'
import { loadRows } from '../../bench/lib/rows.mjs'
import { DOCUMENTS, PLOTS, partsOf, withParts } from '../../bench/report/documents.mjs'
import { root, textOf } from '../support/documents.js'

const HEAD = {
  ...{ processor: 'A processor', cores: 2, memory: '8 GiB', system: 'linux 6', fileSystem: 'ext4' },
  ...{
    node: 'v20.0.0',
    javas: ['17.0.1'],
    kafka: '4.4.0',
    commit: 'abc',
    date: '2026-01-01',
    load: [0, 0, 0],
  },
}

const ROW = {
  ...{ id: 'scan', family: 'scan', group: 'hot paths', title: 'scan | it', unit: 'ns', better: 'less' },
  ...{ functions: { ours: 'scanSegment', theirs: 'FileRecords.batches' }, readme: 'scan a segment' },
}

const RESULT = {
  ...{ name: 'scan', contender: 'native', unit: 'ns', median: 10, rounds: [10, 11], operations: 5 },
  ...{ p50: 9, p99: 1_500, max: 2_000_000, readCalls: 0.5, writeCalls: 0, peakKib: 2_048, extra: {} },
  ...{ ratio: 50, ratios: { kafka: 50 }, goal: { ratio: 40, against: 'kafka' }, verdict: 'met' },
}
const KAFKA = {
  ...{ ...RESULT, contender: 'kafka-17', median: 500, ratio: 1, ratios: {}, goal: null, verdict: null },
}
const FAMILIES = [{ family: 'scan', runs: [{ head: HEAD, results: [RESULT, KAFKA] }] }]

const { parts, plots } = partsOf(await loadRows(), readResults(join(root, 'bench/results')))

test.each(DOCUMENTS)('%s is what bench/results makes of it: npm run bench:report', (document) => {
  const text = textOf(document)
  expect(withParts(text, parts)).toBe(text)
})

test('every plot is there', () => {
  const files = plots.map(({ name }: { name: string }) => join(root, PLOTS, `${name}.svg`))
  expect(files.filter((file: string) => !existsSync(file))).toEqual([])
  for (const file of files) expect(readFileSync(file, 'utf8')).toMatch(/^<svg/)
})

test('a row is a line with every contender, its ratio, goal and verdict', () => {
  const { parts: made } = partsOf([ROW], FAMILIES)
  const lines = (made['hot paths'] ?? '').split('\n')
  expect(lines[0]).toBe(
    '| operation | functions | unit | native | kafka-17 | native beside | goal | verdict |',
  )
  expect(lines[2]).toBe(
    '| scan \\| it | `scanSegment` / `FileRecords.batches` | ns | 10.0 | 500 | kafka 50.0x | 40x kafka | met |',
  )
  expect(made['hot paths']).toContain('Kafka 4.4.0 on Java 17.0.1, commit abc, 2026-01-01')
  expect(made['hot paths']).toContain(
    '| scan | native | 10.0 11.0 | 9.00 ns | 1.50 µs | 2.00 ms | 0.500 | 0 | 2.00 |',
  )
  expect(made.short).toContain('| scan a segment | 10.0 ns | 500 ns |')
  expect(made.growth).toBe('Nothing was measured yet.')
})

test('plots are of ratios beside goals, and of growth', () => {
  const series = { id: 'sizes', title: 'Growth', x: 10, xTitle: 'logs' }
  const { plots: made } = partsOf([{ ...ROW, series }], FAMILIES)
  expect(made.map(({ name }: { name: string }) => name)).toEqual(['ratios-hot-paths', 'growth-sizes'])
  expect(made[0]?.spec).toMatchObject({
    background: 'white',
    data: { values: [{ operation: 'scan | it', beside: 'kafka', ratio: 50, goal: 40 }] },
  })
  const native = { contender: 'native', size: 10, value: 10 }
  const kafka = { contender: 'kafka-17', size: 10, value: 500 }
  expect(made[1]?.spec).toMatchObject({ data: { values: [native, kafka] } })
})

test('what stands outside of the marks is left alone, and an unknown part is an error', () => {
  const text = 'a\n<!-- results: growth -->\nold\n<!-- end of results -->\nb\n'
  expect(withParts(text, { growth: 'new' })).toBe(
    'a\n<!-- results: growth -->\n\nnew\n\n<!-- end of results -->\nb\n',
  )
  expect(() => withParts(text, {})).toThrow('growth')
})
