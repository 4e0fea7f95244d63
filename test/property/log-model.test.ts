/** A log does what an array would do, whatever is done to it. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import type { Batch } from '../../lib/format/batch.js'
import { recordBatches } from '../../lib/format/batches.js'
import { CODEC_NAMES } from '../../lib/format/compression.js'
import { codeOf } from '../support/errors.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { LogModel, type ModelBatch, modelRecord } from './log-model.js'
import {
  LogSubject,
  type Operation,
  operation,
  recordLine,
  settings,
  toArray,
  wireLines,
} from './log-operations.js'

beforeAll(async () => {
  for (const name of CODEC_NAMES) await loadCodec(name)
})

const operations = fc.array(operation, { minLength: 5, maxLength: 40, size: 'max' })
/** What may refuse an append; then nothing has changed. */
const REFUSALS = [
  // A leader's epoch below the log's latest.
  'ERR_OUT_OF_RANGE',
  'ERR_TIMESTAMP_OUT_OF_BOUNDS',
  'ERR_BATCH_TOO_LARGE',
  'ERR_OFFSET_CONFLICT',
  'ERR_INVALID_BATCH',
]

it('answers as its model, and goes on doing so when it is opened again', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(settings, operations, async (config, all) => {
      const run = new ModelRun(config)
      await run.subject.open()
      try {
        for (const one of all) await run.step(one)
        await run.step({ kind: 'reopen' })
        await run.sweep()
      } finally {
        await run.subject.log.close()
      }
    }),
    fcOptions(12),
  )
})

it('gives readers that run meanwhile nothing but what was there', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(settings, operations, async (config, all) => {
      const run = new ModelRun(config)
      await run.subject.open()
      const known = new Map<string, Set<string>>()
      const readers: Promise<Seen[]>[] = []
      try {
        for (const one of all.filter(({ kind }) => kind !== 'reopen')) {
          if (readers.length < 6) readers.push(readWhileItChanges(run))
          await run.step(one)
          for (const { offset, line } of run.model.records()) lineSet(known, offset).add(line)
        }
        await Promise.all(readers)
      } finally {
        await Promise.allSettled(readers)
        await run.subject.log.close()
      }
      for (const seen of await Promise.all(readers)) checkSeen(seen, known)
    }),
    fcOptions(10),
  )
})

type Seen = readonly [offset: bigint, line: string]

/** Reads to the end. */
async function readWhileItChanges(run: ModelRun): Promise<Seen[]> {
  const seen: Seen[] = []
  try {
    for await (const record of run.subject.log.read({ maxBytes: 300 })) {
      seen.push([record.offset, recordLine(record)])
    }
  } catch (error) {
    // What was to be read next may be gone.
    expect((error as { code?: string }).code).toBe('ERR_OFFSET_OUT_OF_RANGE')
  }
  return seen
}

/** Offsets rise, and each record is one that the log held under that offset at some time. */
function checkSeen(seen: readonly Seen[], known: Map<string, Set<string>>): void {
  for (const [offset, line] of seen) expect(lineSet(known, offset)).toContain(line)
  const offsets = seen.map(([offset]) => offset)
  expect(offsets).toEqual([...offsets].sort((a, b) => (a < b ? -1 : 1)))
}

function lineSet(known: Map<string, Set<string>>, offset: bigint): Set<string> {
  const set = known.get(`${offset}`) ?? new Set()
  known.set(`${offset}`, set)
  return set
}

class ModelRun {
  readonly subject: LogSubject
  readonly model = new LogModel()

  constructor(config: ConstructorParameters<typeof LogSubject>[1]) {
    this.subject = new LogSubject(tempDir(), config)
  }

  async step(one: Operation): Promise<void> {
    await this.#carryOut(one)
    const { logStartOffset, logEndOffset, highWatermark } = this.subject.log.offsets
    const { start, end } = this.model
    expect([logStartOffset, logEndOffset, highWatermark], one.kind).toEqual([start, end, end])
  }

  async #carryOut(one: Operation): Promise<void> {
    switch (one.kind) {
      case 'append':
      case 'leader':
      case 'follower':
        return this.#append(one)
      case 'truncate': {
        const offset = this.subject.offsetAt(one.perMille)
        expect(await this.subject.run(one)).toBe(this.model.truncateTo(offset))
        return
      }
      case 'deleteBefore': {
        const offset = this.subject.offsetAt(one.perMille)
        expect(await this.subject.run(one)).toBe(offset)
        return this.model.deleteBefore(offset)
      }
      case 'reopen':
        return this.#reopen()
      case 'roll':
      case 'flush':
      case 'advance':
        await this.subject.run(one)
        return
      default:
        return this.#look(one)
    }
  }

  /** Appends, and takes into the model what the log then holds: input is compared record by record. */
  async #append(one: Extract<Operation, { kind: 'append' | 'leader' | 'follower' }>): Promise<void> {
    const { subject, model } = this
    const before = subject.log.offsets.logEndOffset
    const given = this.#given(one)
    try {
      const appended = (await subject.run(one)) as { baseOffset: bigint; lastOffset: bigint } | null
      if (appended === null) return
      expect(appended.baseOffset >= before).toBe(true)
      for (let offset = before; offset <= appended.lastOffset; ) {
        const { batches, nextOffset } = await subject.log.fetch(offset)
        model.append([...recordBatches(batches)].map(modelBatch))
        offset = nextOffset
      }
      let taken = model.records(before)
      expect(taken.at(-1)?.offset).toBe(appended.lastOffset)
      const times = subject.log.config.messageTimestampType === 'LogAppendTime'
      if (times && one.kind !== 'follower') {
        const nowMs = BigInt(subject.machine.clock.nowMs())
        taken = taken.map((record) => ({ ...record, timestamp: nowMs }))
      }
      expect(taken.map(({ line }) => withoutPlace(line, times))).toEqual(
        given.slice(0, taken.length).map((line) => withoutPlace(line, times)),
      )
      if (one.kind !== 'follower') expect(taken).toHaveLength(given.length)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === undefined) throw error
      expect(REFUSALS).toContain(code)
    }
  }

  #given(one: Extract<Operation, { kind: 'append' | 'leader' | 'follower' }>): string[] {
    if (one.kind === 'follower') return wireLines(this.subject.followerBytes({ ...one, cutBytes: 0 }))
    const nowMs = this.subject.machine.clock.nowMs()
    return this.subject.inputOf(one.records).map(({ key, value, timestamp }) => {
      const hex = (field: string | Uint8Array | null | undefined) =>
        field === null || field === undefined
          ? 'null'
          : `x${Buffer.from(field as Uint8Array).toString('hex')}`
      return `0 ${timestamp ?? nowMs} ${hex(key)} ${hex(value)}`
    })
  }

  async #reopen(): Promise<void> {
    const { subject, model } = this
    await subject.run({ kind: 'reopen' })
    // A cut inside of a batch takes the whole batch; what is left of the range is given out again.
    const { logEndOffset } = subject.log.offsets
    expect(logEndOffset <= model.end && logEndOffset > (model.batches.at(-1)?.lastOffset ?? -1n)).toBe(true)
    model.end = logEndOffset
  }

  async #look(one: Extract<Operation, { kind: 'read' | 'fetch' | 'locate' | 'time' }>): Promise<void> {
    const { subject, model } = this
    const { log } = subject
    if (one.kind === 'time') {
      const time = BigInt(subject.machine.clock.nowMs() + one.aheadMs)
      const found = await log.offsetForTimestamp(time)
      expect(found?.offset).toBe(model.firstSince(time)?.offset)
      return
    }
    const from = subject.offsetAt(one.fromPerMille)
    if (one.kind === 'read') {
      const { maxBytes, maxRecords } = one
      const read = log.read({ from, maxBytes, ...(maxRecords === undefined ? {} : { maxRecords }) })
      const expected = model.records(from).map(({ line }) => line)
      expect(await toArray(read, recordLine)).toEqual(expected.slice(0, maxRecords))
      return
    }
    if (from < model.start || from > model.end) {
      expect(await codeOf(() => subject.run(one))).toBe('ERR_OFFSET_OUT_OF_RANGE')
      return
    }
    const holder = model.batches.find(({ lastOffset }) => lastOffset >= from)
    if (one.kind === 'locate') {
      expect(log.locate(from).batch?.lastOffset).toBe(holder?.lastOffset)
      return
    }
    const { batches } = await log.fetch(from, { maxBytes: one.maxBytes })
    const lines = wireLines(batches)
    const expected = model.batches.filter(({ lastOffset }) => lastOffset >= from).flatMap(linesOf)
    expect(lines).toEqual(expected.slice(0, lines.length))
    if (expected.length > 0) expect(lines.length >= (holder?.records.length ?? 0)).toBe(true)
  }

  /** Every offset, every time, and fetches of many sizes. */
  async sweep(): Promise<void> {
    const { subject, model } = this
    const { log } = subject
    const lines = model.records().map(({ line }) => line)
    expect(await toArray(log.read(), recordLine)).toEqual(lines)
    for (const maxBytes of [0, 1, 100, 1000, 100_000]) {
      const fetched: string[] = []
      let offset = model.start
      while (offset < model.end) {
        const { batches, nextOffset } = await log.fetch(offset, { maxBytes })
        fetched.push(...wireLines(batches))
        expect(nextOffset > offset).toBe(true)
        offset = nextOffset
      }
      const whole = model.batches.filter(({ lastOffset }) => lastOffset >= model.start).flatMap(linesOf)
      expect(fetched).toEqual(whole)
    }
    for (const { timestamp } of model.records()) {
      for (const time of [timestamp - 1n, timestamp, timestamp + 1n]) {
        expect((await log.offsetForTimestamp(time))?.offset).toBe(model.firstSince(time)?.offset)
      }
    }
    expect((await log.offsetForMaxTimestamp())?.offset).toBe(model.firstLatest()?.offset)
    for (const { offset } of model.records()) {
      const [to, from] = [offset + 1n, offset - 1n < model.start ? model.start : offset - 1n]
      const expected = model.records(from).filter((record) => record.offset < to)
      expect(await toArray(log.read({ from, to }), recordLine)).toEqual(expected.map(({ line }) => line))
    }
  }
}

function modelBatch(batch: Batch): ModelBatch {
  const records = [...batch.records()].map((record) => modelRecord(record, recordLine(record)))
  return { lastOffset: batch.lastOffset, records }
}

function linesOf({ records }: ModelBatch): string[] {
  return records.map(({ line }) => line)
}

/** Key and value, and the time unless the log sets it: offsets are checked apart. */
function withoutPlace(line: string, withoutTime: boolean): string {
  const [, time, ...rest] = line.split(' ')
  return withoutTime ? rest.join(' ') : [time, ...rest].join(' ')
}
