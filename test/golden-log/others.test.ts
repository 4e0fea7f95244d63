/** Logs of older formats, of KRaft's control records, and with faults, all made with Kafka's classes. */
import { copyFileSync, cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PartitionLogError } from '../../lib/errors.js'
import type { Batch } from '../../lib/format/batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { rejection, type SeenError } from '../support/errors.js'
import {
  batchForm,
  bytesForm,
  expected,
  GOLDEN,
  type GoldenBatch,
  goldenFiles,
  withoutControl,
} from '../support/golden.js'
import { testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const modes = [
  { mode: 'writable', options: {} },
  { mode: 'read-only', options: { readOnly: true } },
] as const

/** The golden log in a directory of its own, with empty indexes where it has none, closed cleanly. */
function copyOf(directory: string, name: string): string {
  const parent = tempDir()
  const log = join(parent, name)
  cpSync(join(GOLDEN, directory, name), log, { recursive: true })
  writeFileSync(join(parent, '.kafka_cleanshutdown'), '')
  const files = readdirSync(log)
  for (const file of files.filter((file) => file.endsWith('.log'))) {
    for (const kind of ['index', 'timeindex']) {
      const index = file.replace('log', kind)
      if (!files.includes(index)) writeFileSync(join(log, index), '')
    }
  }
  return log
}

const sound = ['legacy', 'control'].flatMap((directory) =>
  readdirSync(join(GOLDEN, directory)).flatMap((name) => modes.map((mode) => ({ directory, name, ...mode }))),
)

describe.each(sound)('$directory/$name, $mode', ({ directory, name, options }) => {
  const [file] = goldenFiles(`${directory}/${name}`, '.log') as [string]
  const golden = expected<GoldenBatch>(`${directory}/${name}/${file}`).map(withoutControl)

  it('reads as Kafka read it', async () => {
    const log = await openLogOn(testMachine(), copyOf(directory, name), options)
    try {
      const batches: Batch[] = []
      for await (const batch of log.read().batches()) batches.push(batch)
      expect(batches.map((batch) => positioned(batch, log.locate(batch.lastOffset).batch?.position))).toEqual(
        golden,
      )
      const records: [string, string][] = []
      for await (const { offset, timestamp } of log.read()) records.push([`${offset}`, `${timestamp}`])
      const data = golden.filter(({ isControl }) => !isControl).flatMap((batch) => batch.records)
      expect(records).toEqual(data.map(({ offset, timestamp }) => [offset, timestamp]))
      expect(String(log.offsets.logEndOffset)).toBe(String(BigInt(golden.at(-1)?.lastOffset ?? 0) + 1n))
    } finally {
      await log.close()
    }
  })
})

function positioned(batch: Batch, position: number | undefined) {
  return batchForm(batch, position ?? -1)
}

const FILE = '00000000000000000099'
/** Where opening refuses the fault. Undefined: the open passes, as it would in Kafka, and reads stay right. An index is refused where nothing may be written, and made anew else. */
const REFUSED: Record<string, { file: string; position: number; kind: string } | undefined> = {
  'crc-0': { file: `${FILE}.log`, position: 2512, kind: 'batch' },
  'torn-0': { file: `${FILE}.log`, position: 5024, kind: 'torn-tail' },
  'length-0': { file: `${FILE}.log`, position: 157, kind: 'torn-tail' },
  'zeros-0': { file: `${FILE}.log`, position: 5181, kind: 'batch' },
  'index-position-0': undefined,
  'index-offset-0': undefined,
  'index-preallocated-0': { file: `${FILE}.index`, position: 392, kind: 'index' },
  'index-length-0': { file: `${FILE}.index`, position: 248, kind: 'index' },
  'index-below-base-0': { file: `${FILE}.index`, position: 248, kind: 'index' },
  'timeindex-order-0': undefined,
  'timeindex-offset-0': undefined,
}

/** Faults of an index that is no index at all. */
const NEVER_OPENS = ['index-length-0', 'index-below-base-0']

const damaged = readdirSync(join(GOLDEN, 'damaged')).flatMap((name) =>
  modes.map((mode) => ({ name, ...mode })),
)

describe.each(damaged)('damaged/$name, $mode', ({ name, options }) => {
  it('opens, or says which file is damaged and where', async () => {
    const error = await outcome(copyOf('damaged', name), options)
    const refused = REFUSED[name]
    // What only reads ends where the sound bytes do, and needs no whole index.
    const isOnlyRead = 'readOnly' in options
    const opens =
      refused === undefined || (isOnlyRead ? !NEVER_OPENS.includes(name) : refused.kind === 'index')
    if (opens) return expect(error).toBeUndefined()
    expect(error).toBeInstanceOf(PartitionLogError)
    expect(error?.code).toBe('ERR_CORRUPT')
    expect({
      file: error?.path?.slice(-refused.file.length),
      position: error?.position,
      kind: error?.kind,
    }).toEqual(refused)
    expect(error?.message).toContain(error?.path)
  })

  it('behind a sound segment: every read is right, or says which file is damaged and where', async () => {
    const path = copyOf('damaged', name)
    for (const kind of ['log', 'index', 'timeindex']) {
      const next = `00000000000000000198.${kind}`
      copyFileSync(join(GOLDEN, 'broker-4.4.0/segments-0', next), join(path, next))
    }
    const log = await openLogOn(testMachine(), path, options)
    try {
      const truth = soundRecords()
      for (let from = 99n; from < 297n; from += 13n) {
        const seen: [bigint, string, unknown][] = []
        try {
          for await (const { offset, timestamp, value } of log.read({ from, maxRecords: 40 }))
            seen.push([offset, `${timestamp}`, bytesForm(value)])
        } catch (error) {
          expectCoded(error, path)
        }
        const rest = truth.filter(([offset]) => offset >= from)
        expect(seen).toEqual(rest.slice(0, seen.length))
      }
      for (const [, timestamp] of truth.filter((_, n) => n % 5 === 0)) {
        const error = await failure(() => log.offsetForTimestamp(timestamp))
        if (error !== undefined) expectCoded(error, path)
      }
    } finally {
      await log.close()
    }
  })
})

function soundRecords(): [bigint, string, unknown][] {
  return ['00000000000000000099.log', '00000000000000000198.log']
    .flatMap((file) => expected<GoldenBatch>(`broker-4.4.0/segments-0/${file}`))
    .flatMap(({ records }) => records)
    .map(({ offset, timestamp, value }) => [BigInt(offset), timestamp, value])
}

function expectCoded(error: unknown, path: string): void {
  expect(error).toBeInstanceOf(PartitionLogError)
  const { code, path: file, position } = error as SeenError
  expect(code).toBe('ERR_CORRUPT')
  expect(file?.startsWith(path)).toBe(true)
  expect(position).toBeTypeOf('number')
}

async function outcome(path: string, options: object): Promise<SeenError | undefined> {
  return failure(async () => {
    const log = await openLogOn(testMachine(), path, options)
    await log.close()
  })
}

async function failure(work: () => unknown): Promise<SeenError | undefined> {
  let failed = true
  const error = await rejection(async () => {
    await work()
    failed = false
    throw new Error('none')
  })
  return failed ? error : undefined
}
