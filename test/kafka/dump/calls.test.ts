/** Calls of both tools: several files at once, flags, and what the text leaves open. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeBatch } from '../../../lib/index.js'
import { jsonLines, plog } from '../../support/cli.js'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { exceptionIn } from './support/compare.js'
import { golden } from './support/golden.js'
import { BACKENDS, differencesOf, KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const broker = join(golden, 'broker-4.4.0')
const FIRST = '00000000000000000000'

/** Files of each kind, whole, damaged, unknown and missing. */
const SEVERAL = [
  `broker-4.4.0/deleted-0/${FIRST}.log`,
  `broker-4.4.0/compacted-0/${FIRST}.log`,
  `broker-4.4.0/compacted-0/${FIRST}.timeindex`,
  `broker-4.4.0/empty-0/${FIRST}.log`,
  `broker-4.4.0/empty-0/${FIRST}.index`,
  'broker-4.4.0/segments-0/00000000000000000297.log',
  `broker-4.4.0/txn-0/${FIRST}.txnindex`,
  'broker-4.4.0/txn-0/00000000000000000017.snapshot',
  'damaged/crc-0/00000000000000000099.log',
  'damaged/torn-0/00000000000000000099.log',
  'damaged/index-offset-0/00000000000000000099.index',
  'damaged/timeindex-order-0/00000000000000000099.timeindex',
  'damaged/timeindex-offset-0/00000000000000000099.timeindex',
  `legacy/mixed-0/${FIRST}.log`,
  'README.md',
  'broker-4.4.0/meta.properties',
]
/** Those at which Kafka ends. */
const ENDING = [
  `nowhere-0/${FIRST}.log`,
  `nowhere-0/${FIRST}.index`,
  'damaged/zeros-0/00000000000000000099.log',
  'damaged/index-position-0/00000000000000000099.index',
  'encode/cases.log',
]

describe('several files', () => {
  const flags = fc.constantFrom<string[]>(
    [],
    ['--deep-iteration'],
    ['--verify-index-only'],
    ['--print-data-log'],
  )
  const some = (paths: readonly string[]) =>
    fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 6 })
  const linesOf = (text: string) => text.split('\n').sort()

  it('are printed as by Kafka in one call', async () => {
    await fc.assert(
      fc.asyncProperty(some(SEVERAL), flags, async (names, more) => {
        const args = ['--files', names.map((name) => join(golden, name)).join(','), ...more]
        const theirs = await kafka.dump(args)
        expect(theirs.exitCode).toBe(0)
        for (const backend of BACKENDS) {
          const ours = await ourDump(args, backend)
          expect(ours.stdout.toString()).toBe(theirs.stdout.toString())
          // In which order it tells of files Kafka leaves to chance.
          expect(linesOf(ours.stderr)).toEqual(linesOf(theirs.stderr))
        }
      }),
      fcOptions(40),
    )
  })

  it('are printed as each alone, whatever is wrong with one, and the largest exit code counts', async () => {
    await fc.assert(
      fc.asyncProperty(some([...SEVERAL, ...ENDING]), flags, async (names, more) => {
        const paths = names.map((name) => join(golden, name))
        const alone = await Promise.all(paths.map((path) => ourDump([path, ...more], 'portable')))
        const together = await ourDump(['--files', paths.join(','), ...more], 'native')
        expect(together.stdout).toEqual(Buffer.concat(alone.map(({ stdout }) => stdout)))
        expect(together.exitCode).toBe(Math.max(...alone.map(({ exitCode }) => exitCode ?? 0)))
        expect(linesOf(together.stderr)).toEqual(linesOf(alone.map(({ stderr }) => stderr).join('')))
      }),
      fcOptions(40),
    )
  })

  it('at which Kafka ends do not keep the next one from being dumped', async () => {
    const last = join(broker, `deleted-0/${FIRST}.log`)
    const { stdout } = await kafka.dump(['--files', last])
    for (const name of ENDING) {
      const args = ['--files', `${join(golden, name)},${last}`]
      expect((await kafka.dump(args)).exitCode).toBe(1)
      const ours = await ourDump(args, 'portable')
      expect(ours.exitCode).toBeGreaterThan(0)
      expect(ours.stdout.toString().endsWith(stdout.toString())).toBe(true)
    }
  })

  it('are split at commas as by Java, and a flag given twice adds to the first', async () => {
    const [a, b] = [join(broker, `deleted-0/${FIRST}.log`), join(broker, `empty-0/${FIRST}.log`)]
    const args = ['--files', `,${a},,${b},,`]
    const theirs = await kafka.dump(args)
    const ours = await ourDump(args, 'portable')
    expect(ours).toMatchObject({ stdout: theirs.stdout, stderr: theirs.stderr, exitCode: 2 })
    const twice = await ourDump(['--files', a, '--files', b], 'portable')
    expect(twice.stdout).toEqual((await kafka.dump(['--files', `${a},${b}`])).stdout)
  })
})

describe('flags', () => {
  const index = join(broker, 'segments-0/00000000000000000099.index')

  it('--max-message-size has no bearing, where Kafka ends with batches that are larger', async () => {
    const { stdout } = await kafka.dump(['--files', index])
    const args = ['--files', index, '--max-message-size', '10']
    expect(exceptionIn(await kafka.dump(args))).toBe('java.util.NoSuchElementException')
    for (const backend of BACKENDS)
      expect(await ourDump(args, backend)).toMatchObject({ stdout, exitCode: 0 })
  })

  it.each([0, 1, 16, 17, 18, 77, 78, 79, 200, 10_000, 2 ** 31 - 1])('--max-bytes %d', async (bytes) => {
    const path = join(broker, 'segments-0/00000000000000000297.log')
    const torn = join(golden, 'damaged/torn-0/00000000000000000099.log')
    for (const file of [path, torn])
      for (const more of [[], ['--print-data-log']])
        expect(await differencesOf(kafka, file, ['--max-bytes', `${bytes}`, ...more])).toEqual([])
  })

  it.each(
    [
      [],
      ['--files'],
      ['--no-such-flag', '--files', index],
      ['--max-bytes', '-1', '--files', index],
      ['--max-bytes', 'many', '--files', index],
      ['--max-message-size', '1.5', '--files', index],
      ['--max-bytes', '2147483648', '--files', index],
      ['--cluster-metadata-decoder', '--files', index.replace('.index', '.log')],
    ].map((args) => ({ args })),
  )('$args is wrong usage', async ({ args }) => {
    for (const backend of BACKENDS) {
      const { stdout, stderr, exitCode } = await ourDump(args, backend)
      expect({ stdout: stdout.toString(), exitCode }).toEqual({ stdout: '', exitCode: 2 })
      expect(stderr).toMatch(/^plog: ERR_USAGE: /)
    }
  })

  it('may be written with an equals sign', async () => {
    const args = [`--files=${index}`, '--max-message-size=5242880']
    expect((await ourDump(args, 'native')).stdout).toEqual((await kafka.dump(args)).stdout)
  })
})

describe('what the text leaves open', () => {
  const headers = ['a,b', 'c', '', 'k:v', ']'].map((key) => ({ key, value: 'x' }))
  const value = 'x\nbaseOffset: 1 lastOffset: 1\n| offset: 9 key: no payload: no'
  const write = () => {
    const path = join(tempDir(), '00000000000000000042.log')
    writeFileSync(path, encodeBatch([{ key: 'k', value, headers, timestamp: 5 }], { baseOffset: 42 }))
    return path
  }

  it('is printed as by Kafka', async () => {
    expect(await differencesOf(kafka, write(), ['--print-data-log'])).toEqual([])
  })

  it('is told apart by JSON, one line for each thing', async () => {
    const lines = jsonLines(await plog(['dump', '--json', '--print-data-log', write()]))
    expect(lines).toMatchObject([
      { type: 'batch', baseOffset: '42', lastOffset: '42', count: 1 },
      // The first offset is not 0, of which Kafka tells on stderr.
      { type: 'finding', finding: 'non-consecutive', offset: '-1', nextOffset: '42' },
      { type: 'record', offset: '42', key: 'k', value, headers, headerKeys: ['a,b', 'c', '', 'k:v', ']'] },
    ])
  })
})
