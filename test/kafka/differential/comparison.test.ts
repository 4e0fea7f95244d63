/**
 * Tests of what the differential suite compares with, and of what it lets
 * pass: no less may be told than differs, and no more let pass than is meant.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import { loadBackend } from '../../../lib/backend/load.js'
import { CODEC_NAMES } from '../../../lib/format/compression.js'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { toFollower, wire } from './cases/moves.js'
import { comparedTree, type Tree, treeDifference } from './compare-trees.js'
import { LOG_NAME, type Outcome } from './contender.js'
import { explained, MEANT_DIFFERENCES, type MeantDifference, NOT_FOR_SCRIPTS } from './meant-differences.js'
import { MUST_OCCUR } from './must-occur.js'
import type { Operation } from './operation.js'
import { OurContender } from './our-contender.js'
import { inOurWords } from './refusals.js'
import { Tally } from './tally.js'

const INDEX = `${LOG_NAME}/00000000000000000000.index`
const LOG = `${LOG_NAME}/00000000000000000000.log`

const { backend } = loadBackend('native')

beforeAll(() => Promise.all(CODEC_NAMES.map(loadCodec)))

describe('the comparison of directories', () => {
  let tree: Tree

  beforeAll(async () => {
    const contender = new OurContender(backend, tempDir())
    await contender.open({ settings: {}, highWatermark: 'auto', nowMs: 0 })
    await contender.apply(toFollower([wire(0, { count: 5 }), wire(5, { compression: 'gzip' }), wire(9)]))
    await contender.close()
    tree = comparedTree(contender.directory)
  })

  it('tells any one byte of any file', () => {
    const place = fc
      .constantFrom(...Object.keys(tree))
      .chain((path) => fc.record({ path: fc.constant(path), at: fc.nat(), bit: fc.nat(7) }))
    fc.assert(
      fc.property(place, ({ path, at, bit }) => {
        const bytes = Buffer.from(tree[path] as string, 'hex')
        fc.pre(bytes.length > 0)
        const position = at % bytes.length
        bytes[position] = (bytes[position] as number) ^ (1 << bit)
        const difference = treeDifference(tree, { ...tree, [path]: bytes.toString('hex') }, 'exact')
        expect(difference).toContain(`${path}: byte ${position} is `)
      }),
      fcOptions(300),
    )
  })

  it('has something of every kind in it', () => {
    expect(Object.keys(tree).sort()).toEqual(
      [
        '.kafka_cleanshutdown',
        INDEX,
        LOG,
        INDEX.replace('index', 'timeindex'),
        `${LOG_NAME}/leader-epoch-checkpoint`,
        `${LOG_NAME}/00000000000000000010.snapshot`,
        `${LOG_NAME}/partition.metadata`,
        'log-start-offset-checkpoint',
        'recovery-point-offset-checkpoint',
        'replication-offset-checkpoint',
      ].sort(),
    )
  })
})

describe('what is let pass', () => {
  const state = {
    logStartOffset: '0',
    highWatermark: '9',
    lastStableOffset: '9',
    recoveryPoint: '0',
    logEndOffset: '9',
    segments: ['10', '20', '30'].map((largestTimestamp, n) => ({
      baseOffset: `${n * 3}`,
      sizeInBytes: 1,
      offsetIndexEntries: 0,
      timeIndexEntries: 0,
      largestTimestamp,
    })),
    epochs: [],
    producers: [],
  }
  const asked = (operation: Operation, kafka: unknown, ours: unknown) =>
    explained({
      operation,
      kafka: { result: kafka, state },
      ours: { result: ours, state },
      settings: {},
      nowMs: 0,
    })

  it('a time that only a later segment has, and no other time', () => {
    const lookUp: Operation = { op: 'time', timestamp: '15' }
    expect(asked(lookUp, null, { offset: '6', timestamp: '25' })).toBe(
      'a look-up by time stops in the first segment',
    )
    // In the segment that Kafka chose.
    expect(asked(lookUp, null, { offset: '4', timestamp: '16' })).toBeUndefined()
    expect(asked(lookUp, { offset: '3', timestamp: '20' }, { offset: '6', timestamp: '25' })).toBeUndefined()
    expect(asked(lookUp, { offset: '6', timestamp: '25' }, null)).toBeUndefined()
  })

  it('the largest time of what can be read, and no other', () => {
    const readable = { offset: '3', timestamp: '5' }
    expect(asked({ op: 'maxTime' }, { offset: '2', timestamp: '9' }, readable)).toBeUndefined()
    expect(asked({ op: 'maxTime' }, null, readable)).toBeUndefined()
    expect(asked({ op: 'maxTime' }, { offset: '4', timestamp: '-1' }, null)).toBe('no record has a time')
    expect(asked({ op: 'maxTime' }, { offset: '4', timestamp: '1' }, null)).toBeUndefined()
  })

  it('one of two faults, and no fault that is not there', () => {
    const operation: Operation = { op: 'leader', bytes: wire(3).toString('base64'), leaderEpoch: 0 }
    const refusal = (code: string): Outcome => ({ refused: { code, as: '', message: '' }, state })
    const pair = (kafka: string, ours: string, maxBytes: string) =>
      explained({
        operation,
        kafka: refusal(kafka),
        ours: refusal(ours),
        settings: { 'max.message.bytes': maxBytes },
        nowMs: 0,
      })
    expect(pair('ERR_BATCH_TOO_LARGE', 'ERR_INVALID_BATCH', '10')).toBe('one of several faults')
    expect(pair('ERR_BATCH_TOO_LARGE', 'ERR_INVALID_BATCH', '1000')).toBeUndefined()
    expect(pair('ERR_INVALID_BATCH', 'ERR_KEY_REQUIRED', '10')).toBeUndefined()
  })
})

describe('the tables', () => {
  it('have the rows of the page, each shown by a case or left out with a reason', () => {
    const page = readFileSync(new URL('../../../docs/kafka-compatibility.md', import.meta.url), 'utf8')
    const [, table = ''] = /## What is meant to differ\n\n([\s\S]*?)\n## /.exec(page) ?? []
    const rows = table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) => line.slice(2, line.indexOf(' | ')))
    const shown: readonly MeantDifference[] = Object.values(MEANT_DIFFERENCES)
    const leftOut = rows.filter((row) => !shown.some((difference) => difference.row === row))
    expect(shown.map(({ row }) => row).filter((row) => !rows.includes(row))).toEqual([])
    const known = Object.keys(NOT_FOR_SCRIPTS)
    expect(leftOut.filter((row) => !known.some((begin) => row.startsWith(begin)))).toEqual([])
    expect(known.filter((begin) => !leftOut.some((row) => row.startsWith(begin)))).toEqual([])
  })

  it('know no exception but those that are written down', () => {
    expect(() => inOurWords({ refused: 'NullPointerException', message: null })).toThrow(
      'is not in the table',
    )
    expect(
      inOurWords({ refused: 'RecordValidationException', cause: 'InvalidTimestampException' }).code,
    ).toBe('ERR_TIMESTAMP_OUT_OF_BOUNDS')
  })

  it('name each thing that must occur once, and miss what did not', () => {
    expect(new Set(MUST_OCCUR).size).toBe(MUST_OCCUR.length)
    const tally = new Tally()
    for (const what of MUST_OCCUR.slice(1)) tally.count(what)
    expect(tally.missing(MUST_OCCUR)).toEqual([MUST_OCCUR[0]])
  })
})
