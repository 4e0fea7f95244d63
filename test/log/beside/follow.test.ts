/** A log that is only read, beside a writer in another process: what a follower sees of all that the writer does. */
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LogConfigInput } from '../../../lib/config/log-config.js'
import type { LogRecord } from '../../../lib/format/record.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { ReadOptions } from '../../../lib/log/read-options.js'
import { startChild } from '../../support/child.js'
import { codeOf } from '../../support/errors.js'
import { collect, testLog, values } from '../../support/log.js'
import { tempDir } from '../../support/temp-dir.js'
import { treeOf } from '../../support/tree.js'
import { WriterProcess } from '../../support/writer-process.js'

const SMALL = { internalSegmentBytes: 700, indexIntervalBytes: 0 }

/** Pulls records one by one. */
class Follower {
  readonly #records: AsyncIterator<LogRecord>
  readonly seen: string[] = []

  constructor(log: Pick<PartitionLog, 'read'>, options: ReadOptions = {}) {
    this.#records = log.read({ follow: true, pollMs: 10, ...options })[Symbol.asyncIterator]()
    onTestFinished(async () => {
      await this.#records.return?.()
    })
  }

  /** The next `count` values; each offset is above the one before. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = []
    for (let n = 0; n < count; n++) taken.push(await this.next())
    return taken
  }

  async next(): Promise<string> {
    const { value } = await this.#records.next()
    const text = `${(value as LogRecord).offset}:${(value as LogRecord).value}`
    this.seen.push(text)
    return text
  }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${from + n}:v${from + n}`)

async function beside(config: LogConfigInput = {}, count = 3) {
  const path = join(tempDir(), 'orders-0')
  const writer = await WriterProcess.start(path, config)
  if (count > 0) await writer.run('append', { count, from: 0 })
  const log = await testLog({ path, readOnly: true })
  return { path, writer, log, follower: new Follower(log) }
}

describe('a follower sees', () => {
  test('appended batches, and the log its offsets', async () => {
    const { writer, log, follower } = await beside()
    expect(await follower.take(3)).toEqual(range(0, 3))
    const next = follower.take(4)
    await writer.run('append', { count: 4, from: 3 })
    expect(await next).toEqual(range(3, 7))
    expect(log.offsets).toMatchObject({ logEndOffset: 7n, highWatermark: 7n, lastStableOffset: 7n })
    expect(await values(log.read({ from: 5 }))).toEqual(['v5', 'v6'])
  })

  test('rolls, in an empty log from its first batch on', async () => {
    const { writer, log, follower } = await beside(SMALL, 0)
    const first = follower.take(40)
    await writer.run('many', { count: 20, from: 0 })
    await writer.run('many', { count: 20, from: 20 })
    expect(await first).toEqual(range(0, 40))
    await writer.run('flush')
    await log.refresh()
    expect(log.segments.length).toBeGreaterThan(3)
    const own = await testLog({ path: log.path, readOnly: true })
    expect(log.segments).toEqual(own.segments)
    expect(log.offsets).toEqual(own.offsets)
    expect(await log.offsetForTimestamp(1_033)).toEqual({ offset: 33n, timestamp: 1_033n })
  })

  test('every record once, in order, while the writer appends and rolls all the time', async () => {
    const { writer, follower } = await beside(SMALL, 0)
    const all = follower.take(3_000)
    for (let from = 0; from < 3_000; from += 500) await writer.run('many', { count: 500, from })
    expect(await all).toEqual(range(0, 3_000))
  })

  test('what stays, once and in order, while segments are deleted under it all the time', async () => {
    const config = { ...SMALL, retentionBytes: 3_000, retentionMs: -1, fileDeleteDelayMs: 0 }
    const { writer, log } = await beside(config, 0)
    const follower = new Follower(log, { onOutOfRange: 'earliest', maxBytes: 100 })
    const seen: number[] = []
    const reading = (async () => {
      while (seen.at(-1) !== 1_999) seen.push(Number((await follower.next()).split(':v')[1]))
    })()
    for (let from = 0; from < 2_000; from += 40) {
      await writer.run('many', { count: 40, from })
      await writer.run('retain')
    }
    await reading
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    await log.refresh()
    const stays = Array.from({ length: 2_000 }, (_, n) => n).slice(Number(log.offsets.logStartOffset))
    expect(seen.slice(-stays.length)).toEqual(stays)
  })

  test('the log start raised: out of range, or on from there', async () => {
    const { writer, log, follower } = await beside(
      { ...SMALL, retentionBytes: 1_500, retentionMs: -1, fileDeleteDelayMs: 0 },
      0,
    )
    await writer.run('many', { count: 30, from: 0 })
    expect(await follower.take(5)).toEqual(range(0, 5))
    const other = new Follower(log, { from: 2, maxBytes: 1, onOutOfRange: 'earliest' })
    expect(await other.take(1)).toEqual(['2:v2'])
    const strict = new Follower(log, { from: 2, maxBytes: 1 })
    expect(await strict.take(1)).toEqual(['2:v2'])
    await writer.run('retain')
    await log.refresh()
    const start = Number(log.offsets.logStartOffset)
    expect(start).toBeGreaterThan(5)
    expect(log.segments[0]?.baseOffset).toBe(BigInt(start))
    expect(await codeOf(() => strict.next())).toBe('ERR_OFFSET_OUT_OF_RANGE')
    expect(await other.take(30 - start)).toEqual(range(start, 30))
  })

  test('deleted segments that nobody has looked for since: as if it had', async () => {
    const { path, writer } = await beside(
      { ...SMALL, retentionBytes: 1_500, retentionMs: -1, fileDeleteDelayMs: 0 },
      0,
    )
    await writer.run('many', { count: 30, from: 0 })
    const log = await testLog({ path, readOnly: true })
    await writer.run('retain')
    expect(await codeOf(() => values(log.read({ from: 0 })))).toBe('ERR_OFFSET_OUT_OF_RANGE')
    expect(log.offsets.logStartOffset).toBeGreaterThan(0n)
    expect((await log.fetch(log.offsets.logStartOffset)).batches.length).toBeGreaterThan(0)
  })

  test('records deleted up to an offset', async () => {
    const { writer, log } = await beside({}, 10)
    await writer.run('deleteBefore', { offset: '4' })
    await log.refresh()
    expect(log.offsets.logStartOffset).toBe(4n)
    expect(await codeOf(() => log.fetch(3))).toBe('ERR_OFFSET_OUT_OF_RANGE')
    expect(await values(log.read())).toEqual(['v4', 'v5', 'v6', 'v7', 'v8', 'v9'])
  })

  test('a truncation below it: out of range, where its offset is gone', async () => {
    const { writer, log, follower } = await beside({}, 5)
    await writer.run('append', { count: 5, from: 5 })
    expect(await follower.take(10)).toEqual(range(0, 10))
    const next = codeOf(() => follower.next())
    await writer.run('truncate', { offset: '5' })
    expect(await next).toBe('ERR_OFFSET_OUT_OF_RANGE')
    await log.refresh()
    expect(log.offsets.logEndOffset).toBe(5n)
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2', 'v3', 'v4'])
  })

  test('a truncation below it that the writer has filled again: the records that came instead', async () => {
    const { writer, log } = await beside({ indexIntervalBytes: 0 }, 5)
    const follower = new Follower(log, { maxBytes: 1 })
    await writer.run('append', { count: 5, from: 5 })
    expect(await follower.take(5)).toEqual(range(0, 5))
    await writer.run('truncate', { offset: '5' })
    await writer.run('many', { count: 30, from: 100 })
    const next = Array.from({ length: 30 }, (_, n) => `${5 + n}:v${100 + n}`)
    expect(await follower.take(30)).toEqual(next)
    expect(log.offsets.logEndOffset).toBe(35n)
  })

  test('a truncation that batches of the same shape have filled again', async () => {
    const { writer, log } = await beside({}, 5)
    await writer.run('transaction', { id: 1, count: 1, from: 10, commit: null })
    await log.refresh()
    expect(log.offsets.lastStableOffset).toBe(5n)
    await writer.run('truncate', { offset: '5' })
    await writer.run('many', { count: 2, from: 20 })
    await log.refresh()
    expect(log.openTransactions()).toEqual([])
    expect(log.offsets).toMatchObject({ lastStableOffset: 7n, logEndOffset: 7n })
  })

  test('a truncation across segments', async () => {
    const { writer, log, follower } = await beside(SMALL, 0)
    await writer.run('many', { count: 30, from: 0 })
    expect(await follower.take(8)).toEqual(range(0, 8))
    await writer.run('truncate', { offset: '8' })
    await writer.run('many', { count: 3, from: 8 })
    await log.refresh()
    expect(await collect(log.read())).toHaveLength(11)
  })

  test('a writer that is killed and started again', async () => {
    const { path, writer, follower } = await beside(SMALL, 0)
    await writer.run('many', { count: 20, from: 0 })
    expect(await follower.take(15)).toEqual(range(0, 15))
    await writer.kill()
    const next = follower.take(25)
    const again = await WriterProcess.start(path, SMALL)
    await again.run('many', { count: 20, from: 20 })
    expect(await next).toEqual(range(15, 40))
    const last = follower.take(1)
    await again.close()
    const third = await WriterProcess.start(path, SMALL)
    await third.run('append', { count: 1, from: 40 })
    expect(await last).toEqual(range(40, 41))
  })

  test('a leader epoch, and where it ended', async () => {
    const { writer, log } = await beside({}, 5)
    await writer.run('flush')
    await log.refresh()
    expect(log.endOffsetForEpoch(0)).toEqual({ epoch: 0, endOffset: 5n })
    expect(JSON.stringify(log.endOffsetForEpoch(0))).toBe('{"epoch":0,"endOffset":"5"}')
    expect(log.endOffsetForEpoch(1)).toBeNull()
    expect(log.endOffsetForEpoch(-1)).toBeNull()
    expect(() => log.endOffsetForEpoch(1.5)).toThrow(RangeError)
  })
})

describe('a batch half written at the end', () => {
  test('is never shown, and no damage; it is once it is whole', async () => {
    const { path, writer, log, follower } = await beside({}, 3)
    const file = join(path, '00000000000000000000.log')
    const sizeBefore = readFileSync(file).length
    await writer.run('append', { count: 2, from: 3 })
    await writer.kill()
    const batch = readFileSync(file).subarray(sizeBefore)
    truncateSync(file, sizeBefore)
    await log.refresh()
    expect(await follower.take(3)).toEqual(range(0, 3))
    const next = follower.take(2)
    for (const part of [batch.subarray(0, 7), batch.subarray(7, 61), batch.subarray(61, -1)]) {
      appendFileSync(file, part)
      await log.refresh()
      expect(log.offsets.logEndOffset).toBe(3n)
      expect(await values(log.read())).toEqual(['v0', 'v1', 'v2'])
    }
    appendFileSync(file, batch.subarray(-1))
    expect(await next).toEqual(range(3, 5))
  })
})

describe('committed reads', () => {
  test('stop at an open transaction, and leave out what was aborted, across rolls', async () => {
    const { writer, log } = await beside(SMALL, 1)
    const follower = new Follower(log, { isolation: 'committed' })
    expect(await follower.take(1)).toEqual(['0:v0'])
    await writer.run('transaction', { id: 1, count: 2, from: 1, commit: null })
    await writer.run('many', { count: 20, from: 10 })
    await log.refresh()
    expect(log.offsets).toMatchObject({ lastStableOffset: 1n, logEndOffset: 23n })
    expect(log.openTransactions()).toMatchObject([{ producerId: 1n, firstOffset: 1n }])
    await writer.run('end', { id: 1, commit: false })
    const rest = Array.from({ length: 20 }, (_, n) => `${3 + n}:v${10 + n}`)
    expect(await follower.take(20)).toEqual(rest)
    await writer.run('transaction', { id: 2, count: 2, from: 50, commit: true })
    await writer.run('transaction', { id: 2, count: 2, from: 60, commit: false })
    await writer.run('append', { count: 1, from: 70 })
    expect(await follower.take(3)).toEqual(['24:v50', '25:v51', '30:v70'])
    // A log opened now, from snapshots and indexes, says the same.
    await log.refresh()
    const own = await testLog({ path: log.path, readOnly: true })
    const committed = (reader: PartitionLog) => values(reader.read({ isolation: 'committed' }))
    expect(await committed(log)).toEqual(await committed(own))
    expect(log.offsets).toEqual(own.offsets)
  })
})

describe('a swap, as a cleaner does it', () => {
  const BASE = '00000000000000000000'

  /** The files of the first segment, as they are after the records below `from` were cleaned away. */
  async function cleaned(from: number): Promise<Map<string, Buffer>> {
    const path = join(tempDir(), 'orders-0')
    const log = await testLog({ path, config: { indexIntervalBytes: 0 } })
    for (let n = 0; n < 10; n++) log.append([{ key: `k${n}`, value: `v${n}`, timestamp: 1_000 + n }])
    log.roll()
    await log.close()
    const files = new Map<string, Buffer>()
    const batches = readFileSync(join(path, `${BASE}.log`))
    const size = batches.length / 10
    files.set('log', batches.subarray(from * size))
    files.set('index', Buffer.alloc(0))
    files.set('timeindex', readFileSync(join(path, `${BASE}.timeindex`)).subarray(-12))
    return files
  }

  async function besideTwoSegments() {
    const { path, writer, log } = await beside({ indexIntervalBytes: 0 }, 0)
    await writer.run('many', { count: 10, from: 0 })
    await writer.run('roll')
    await writer.run('many', { count: 5, from: 10 })
    const place = (kind: string, suffix = '') => join(path, `${BASE}.${kind}${suffix}`)
    const files = await cleaned(6)
    const steps = [
      () => {
        for (const [kind, bytes] of files) writeFileSync(place(kind, '.cleaned'), bytes)
      },
      ...[...files.keys()].map((kind) => () => renameSync(place(kind, '.cleaned'), place(kind, '.swap'))),
      ...[...files.keys()].map((kind) => () => renameSync(place(kind), place(kind, '.deleted'))),
      ...[...files.keys()].map((kind) => () => renameSync(place(kind, '.swap'), place(kind))),
    ]
    await log.refresh()
    return { writer, log, steps }
  }

  test('is seen when it is done; a reader amid it goes on, and sees what stays once', async () => {
    const { writer, log, steps } = await besideTwoSegments()
    const follower = new Follower(log, { maxBytes: 1 })
    expect(await follower.take(3)).toEqual(range(0, 3))
    for (const step of steps) step()
    // Its files are open still; what was cleaned away may be read from them, what stays must be.
    const seen = [...follower.seen]
    while (seen.at(-1) !== '14:v14') seen.push(await follower.next())
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(range(6, 15)))
    await log.refresh()
    expect(await values(log.read())).toEqual(range(6, 15).map((text) => text.split(':')[1]))
    const next = follower.take(1)
    await writer.run('append', { count: 1, from: 15 })
    expect(await next).toEqual(range(15, 16))
  })

  test('is refused amid it, and a follower at the end waits it out', async () => {
    const { writer, log, steps } = await besideTwoSegments()
    const follower = new Follower(log, { from: 12 })
    expect(await follower.take(3)).toEqual(range(12, 15))
    const next = follower.take(1)
    const half = steps.length - 2
    for (const step of steps.slice(0, half)) step()
    expect(await codeOf(() => log.refresh())).toBe('ERR_UNCLEAN')
    expect(log.offsets.logEndOffset).toBe(15n)
    await writer.run('append', { count: 1, from: 15 })
    for (const step of steps.slice(half)) step()
    expect(await next).toEqual(range(15, 16))
  })

  test('whose files nobody had open yet: the new ones are looked at as such', async () => {
    const { log, steps } = await besideTwoSegments()
    for (const step of steps) step()
    expect(await values(log.read())).toEqual(range(6, 15).map((text) => text.split(':')[1]))
  })
})

describe('a log that is only read', () => {
  test('changes nothing, and a follower ends with its signal or its log', async () => {
    const { path, writer, log, follower } = await beside()
    await writer.close()
    const before = treeOf(dirname(path))
    const controller = new AbortController()
    const stopped = new Follower(log, { signal: controller.signal, from: 'latest' }).next()
    const closed = codeOf(() => follower.take(4))
    await log.refresh()
    controller.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    await log.close()
    expect(await closed).toBe('ERR_CLOSED')
    expect(await codeOf(() => log.refresh())).toBe('ERR_CLOSED')
    expect(treeOf(dirname(path))).toEqual(before)
  })

  test('keeps no process alive that waits for nothing', async () => {
    const { path, writer } = await beside()
    const indexUrl = pathToFileURL(resolve(import.meta.dirname, '../../../dist/index.js')).href
    const child = startChild(`
      import { openLog } from ${JSON.stringify(indexUrl)}
      const log = await openLog(${JSON.stringify(path)}, { readOnly: true, backend: backend.name })
      const stop = new AbortController()
      const follower = log.read({ follow: true, from: 'latest', signal: stop.signal })[Symbol.asyncIterator]()
      const next = follower.next().catch((error) => say(error.name))
      await log.refresh()
      stop.abort()
      await next
      await log.refresh()
      say('ends')`)
    expect(await child.nextLine()).toBe('AbortError')
    expect(await child.nextLine()).toBe('ends')
    expect(await child.exited).toBe(0)
    await writer.close()
  })

  test('that was deleted says so', async () => {
    const { path, writer, log, follower } = await beside()
    expect(await follower.take(3)).toEqual(range(0, 3))
    await writer.close()
    const next = codeOf(() => follower.next())
    renameSync(path, `${path}.gone`)
    expect(await next).toBe('ERR_NOT_A_LOG')
    expect(await codeOf(() => log.refresh())).toBe('ERR_NOT_A_LOG')
  })

  test('of one log open for writing, refresh has nothing to do', async () => {
    const log = await testLog()
    await log.refresh()
    expect(log.offsets.logEndOffset).toBe(0n)
  })
})
