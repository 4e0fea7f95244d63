/**
 * Tests of the differential suite itself: it must notice. No Kafka takes part:
 * two honest contenders of ours and one that lies show what a comparison is worth.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import { loadBackend } from '../../../lib/backend/load.js'
import { CODEC_NAMES } from '../../../lib/format/compression.js'
import { tempDir } from '../../support/temp-dir.js'
import { append, at, fetch, record, time } from './cases/moves.js'
import { decoded, exact } from './cases/named-case.js'
import { LOG_NAME, type Outcome } from './contender.js'
import { Liar, type Lies } from './liar.js'
import type { Operation } from './operation.js'
import { OurContender } from './our-contender.js'
import { resolve } from './resolve.js'
import { type Move, type Run, runScript } from './run-script.js'
import { type Step, step } from './script.js'
import { Tally } from './tally.js'

const INDEX = `${LOG_NAME}/00000000000000000000.index`
const LOG = `${LOG_NAME}/00000000000000000000.log`

const MOVES: readonly Move[] = [
  append([record(), record({ time: 5, valueBytes: 100 })]),
  append([record({ valueBytes: 100 })], { epochsOn: 1 }),
  append([record({ valueBytes: 100 })]),
  append([record({ valueBytes: 5000 })]),
  at('locate', 2),
  fetch(1),
  time(3),
  at('deleteBefore', 1),
  fetch(0),
]

const { backend } = loadBackend('native')

beforeAll(() => Promise.all(CODEC_NAMES.map(loadCodec)))

/** Plays with two honest contenders and one that lies, the honest last one in Kafka's place. */
async function play(run: Run, lies: Lies): Promise<void> {
  const directory = tempDir()
  const [first, second, last] = ['first', 'second', 'last'].map((name) => {
    mkdirSync(join(directory, name))
    return new OurContender(backend, join(directory, name))
  }) as [OurContender, OurContender, OurContender]
  try {
    await runScript(run, [first, new Liar(second, lies), last], new Tally())
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function whenAsked(op: Operation['op'], lie: (outcome: Outcome) => Outcome): Lies {
  return { tells: (operation, outcome) => (operation.op === op ? lie(outcome) : outcome) }
}

/** Another byte in the middle of a file. */
function spoilt(path: string, when: Operation['op'] | 'close'): Lies {
  return {
    does: (after, directory) => {
      if (after !== when) return
      const bytes = readFileSync(join(directory, path))
      const middle = bytes.length >> 1
      bytes[middle] = (bytes[middle] as number) ^ 1
      writeFileSync(join(directory, path), bytes)
    },
  }
}

const STATE_LIES = {
  logStartOffset: '7',
  highWatermark: '7',
  lastStableOffset: '7',
  logEndOffset: '7',
  epochs: [{ epoch: 0, startOffset: '0' }],
}

describe('a run fails', () => {
  it('not where all are honest', () => play(exact('honest', MOVES), {}))

  it.each(['baseOffset', 'lastOffset'])('where one lies about the %s of an append', async (offset) => {
    const lies = whenAsked('append', (outcome) =>
      outcome.refused === undefined
        ? { ...outcome, result: { ...(outcome.result as object), [offset]: '9' } }
        : outcome,
    )
    await expect(play(exact('offset', MOVES), lies)).rejects.toThrow(`append, differs: result.${offset} is `)
  })

  it.each(Object.entries(STATE_LIES))('where one lies about its %s', async (field, value) => {
    const lies = whenAsked('fetch', (outcome) => ({
      ...outcome,
      state: { ...outcome.state, [field]: value },
    }))
    await expect(play(exact('state', MOVES), lies)).rejects.toThrow(`fetch, differs: state.${field}`)
  })

  it.each(['sizeInBytes', 'offsetIndexEntries', 'timeIndexEntries', 'largestTimestamp', 'baseOffset'])(
    "where one lies about a segment's %s",
    async (field) => {
      const lies = whenAsked('locate', (outcome) => {
        const [first, ...others] = outcome.state.segments
        const segments = [{ ...first, [field]: 77 }, ...others] as Outcome['state']['segments']
        return { ...outcome, state: { ...outcome.state, segments } }
      })
      await expect(play(exact('segment', MOVES), lies)).rejects.toThrow(
        `locate, differs: state.segments.0.${field}`,
      )
    },
  )

  it('where one lies about the recovery point after a flush', async () => {
    const lies = whenAsked('flush', (outcome) => ({
      ...outcome,
      state: { ...outcome.state, recoveryPoint: '1' },
    }))
    await expect(play(exact('flush', MOVES), lies)).rejects.toThrow(
      'flush, differs: state.recoveryPoint is "4" and "1"',
    )
  })

  it('where one refuses for another reason', async () => {
    const lies = whenAsked('fetch', (outcome) =>
      outcome.refused === undefined
        ? outcome
        : { ...outcome, refused: { ...outcome.refused, code: 'ERR_CORRUPT' } },
    )
    await expect(play(exact('refusal', MOVES), lies)).rejects.toThrow(
      'fetch, differs: refused is "ERR_OFFSET_OUT_OF_RANGE" and "ERR_CORRUPT"',
    )
  })

  it('where one refuses what the others do', async () => {
    const refused = { code: 'ERR_BATCH_TOO_LARGE', as: 'Error', message: '' }
    const lies = whenAsked('append', ({ state }) => ({ refused, state }))
    await expect(play(exact('refusal', MOVES), lies)).rejects.toThrow('append, differs: result')
  })

  it('where one breaks, and says at which step', async () => {
    const lies = whenAsked('locate', () => {
      throw new Error('no more')
    })
    const failure = play(exact('broken', MOVES), lies)
    await expect(failure).rejects.toThrow(/^step 5, locate, broke: Error: no more\nthe script/)
  })

  it.each([
    ['fetch', { bytes: 'AAAA' }],
    ['locate', { indexEntry: { offset: '0', position: 1 }, batch: null }],
    ['time', { offset: '2', timestamp: '3' }],
    ['time', null],
  ] as const)('where one answers a %s otherwise', async (op, result) => {
    const lies = whenAsked(op, (outcome) =>
      outcome.refused === undefined ? { ...outcome, result } : outcome,
    )
    await expect(play(exact('answer', MOVES), lies)).rejects.toThrow(`${op}, differs: result`)
  })

  it.each([INDEX, LOG, `${LOG_NAME}/leader-epoch-checkpoint`, `${LOG_NAME}/partition.metadata`])(
    'where a byte of %s is another while the log is open',
    async (path) => {
      await expect(play(exact('open', MOVES), spoilt(path, 'advance'))).rejects.toThrow(
        `the directories of Kafka and ours, native, lying, open: ${path}: byte `,
      )
    },
  )

  it.each([
    INDEX,
    LOG,
    INDEX.replace('index', 'timeindex'),
    `${LOG_NAME}/leader-epoch-checkpoint`,
    `${LOG_NAME}/partition.metadata`,
    '.kafka_cleanshutdown',
    'recovery-point-offset-checkpoint',
    'replication-offset-checkpoint',
    'log-start-offset-checkpoint',
  ])('where a byte of %s is another when all is closed', async (path) => {
    await expect(play(exact('closed', MOVES), spoilt(path, 'close'))).rejects.toThrow(
      `closed: ${path}: byte `,
    )
  })

  it('where a file is missing, or is one too many', async () => {
    const removes: Lies = { does: (after, directory) => after === 'close' && rmSync(join(directory, INDEX)) }
    await expect(play(exact('missing', MOVES), removes)).rejects.toThrow('closed: the files: ')
    const adds: Lies = {
      does: (after, directory) => after === 'close' && writeFileSync(join(directory, LOG_NAME, 'more'), ''),
    }
    await expect(play(exact('more', MOVES), adds)).rejects.toThrow('closed: the files: ')
  })

  it('where each compresses itself, and a record is another', async () => {
    const lies = spoilt(LOG, 'close')
    await expect(play(decoded('record', MOVES), lies)).rejects.toThrow(
      /closed: log-0\/0{20}\.log: \d\.isValid is true and false/,
    )
  })
})

describe('a failure', () => {
  it('is shrunk, and prints what repeats it', async () => {
    const lies = whenAsked('truncate', (outcome) => ({
      ...outcome,
      state: { ...outcome.state, logEndOffset: '77' },
    }))
    const short = fc.array(step, { minLength: 4, maxLength: 8 })
    const property = fc.asyncProperty(short, (steps) =>
      play(exact('random', [...steps.map(moveOf), at('truncate', 0)]), lies),
    )
    const options = { seed: 1, numRuns: 1, interruptAfterTimeLimit: 60_000 }
    const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, options)
    expect(failed).toBe(true)
    expect(counterexample?.[0]).toHaveLength(4)
    expect(counterexamplePath).toMatch(/^0(:\d+)+$/)
    const { name, message } = errorInstance as Error
    expect(name).toBe('DifferenceFound')
    const printed = JSON.parse(message.slice(message.lastIndexOf('\n') + 1)) as Run
    await expect(play(printed, lies)).rejects.toThrow('truncate, differs: state.logEndOffset')
    await play(printed, {})
  })
})

function moveOf(one: Step): Move {
  return (view) => resolve(one, view)
}
