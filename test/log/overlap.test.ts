/** Operations that meet: each is right whatever is under way beside it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLog, openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { canSeeDescriptors, descriptorsBelow, openBelow } from '../support/descriptors.js'
import { closeLater, collect, numbered, testLog, values } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

async function recordedLog(
  config: LogConfigInput = {},
  { path = join(tempDir(), 'orders-0'), ...options }: OpenLogOptions & { path?: string } = {},
) {
  const machine = new RecordingMachine(dirname(path))
  const log = closeLater(await openLogOn(machine, path, { ...options, config }))
  return { machine, log }
}

const MARKER = '.kafka_cleanshutdown'
const isClean = (log: PartitionLog) => existsSync(join(dirname(log.path), MARKER))

/** A log of `count` segments with one record each, all in this turn: nothing is flushed. */
function segmentEach(log: PartitionLog, count: number): void {
  for (let n = 0; n < count; n++) {
    log.append(numbered(1, n, 1_000 + n))
    log.roll()
  }
}

describe('a flush beside a truncation', () => {
  /** A reopened log whose append is being flushed; the flush is held. */
  async function appending() {
    const first = await testLog()
    first.append(numbered(2))
    await first.close()
    const { machine, log } = await recordedLog({}, { path: first.path })
    const hold = machine.hold(/^flush 0\.log/)
    const durable = log.append([{ key: 'k', value: 'X', timestamp: 1_002 }]).durable()
    await hold.reached
    return { machine, log, hold, durable }
  }

  test.each([
    ['ends before it', true],
    ['ends within it', false],
  ])('that %s: a batch of the same size in the place of another is flushed anew', async (_, isBefore) => {
    const { machine, log, hold, durable } = await appending()
    if (isBefore) {
      hold.release()
      await durable
    }
    const truncating = log.truncateTo(2)
    hold.release()
    await Promise.all([truncating, durable])
    machine.taken()
    const { baseOffset, durable: secondDurable } = log.append([{ key: 'k', value: 'Y', timestamp: 1_002 }])
    expect(baseOffset).toBe(2n)
    expect(log.offsets.durableOffset).toBe(2n)
    await secondDurable()
    const events = machine.taken()
    expect(events[0]).toMatch(/^append 0\.log/)
    expect(events[1]).toMatch(/^flush 0\.log/)
    expect(log.offsets.durableOffset).toBe(3n)
    expect(await values(log.read({ from: 2 }))).toEqual(['Y'])
  })

  test.each([0, 3, 9, 15, 19])('of more segments than one step takes, cut at %i', async (target) => {
    const { machine, log } = await recordedLog()
    const hold = machine.hold(/^flush 0\.log/)
    segmentEach(log, 20)
    const durable = log.append(numbered(1, 20)).durable()
    await hold.reached
    const truncating = log.truncateTo(target)
    hold.release()
    expect(await truncating).toBe(true)
    await durable
    expect(log.state).toBe('open')
    const again = log.append([{ value: 'again' }])
    expect(again.baseOffset).toBe(BigInt(target))
    await again.durable()
    expect(log.offsets).toMatchObject({
      durableOffset: BigInt(target + 1),
      recoveryPoint: BigInt(target + 1),
    })
    await log.close()
    expect(isClean(log)).toBe(true)
    const reopened = await testLog({ path: log.path })
    expect((await values(reopened.read())).at(-1)).toBe('again')
    expect(reopened.offsets.logEndOffset).toBe(BigInt(target + 1))
  })

  test('of so many that the truncation deletes some before their turn comes', async () => {
    const { machine, log } = await recordedLog({ segmentIndexBytes: 1_024 })
    const hold = machine.hold(/^flush 0\.log/)
    segmentEach(log, 120)
    const durable = log.append(numbered(1, 120)).durable()
    await hold.reached
    const truncating = log.truncateTo(20)
    hold.release()
    await Promise.all([truncating, durable])
    expect(log.state).toBe('open')
    await log.flush()
    expect(log.offsets).toMatchObject({ logEndOffset: 20n, durableOffset: 20n })
  })

  test('between two of its steps goes on with what is left', async () => {
    const { machine, log } = await recordedLog()
    const hold = machine.hold(/^flush 8\.log/)
    segmentEach(log, 20)
    const durable = log.append(numbered(1, 20)).durable()
    await hold.reached
    const truncating = log.truncateTo(12)
    hold.release()
    await Promise.all([truncating, durable])
    const flushed = new Set(
      machine
        .taken()
        .join(' ')
        .match(/\d+\.log/g),
    )
    expect(log.state).toBe('open')
    await log.flush()
    for (let base = 0; base < 12; base++) expect(flushed).toContain(`${base}.log`)
    expect(log.offsets.durableOffset).toBe(12n)
  })
})

describe('flushes at once', () => {
  test('after a new leader epoch all succeed, and the file is right', async () => {
    const log = await testLog()
    for (const epoch of [1, 4, 7]) {
      log.append(numbered(1), { leaderEpoch: epoch })
      await Promise.all([log.flush(), log.flush(), log.flush()])
    }
    log.append(numbered(1), { leaderEpoch: 9 })
    await Promise.all([log.flush(), log.close()])
    const text = readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')
    expect(text).toBe('0\n4\n1 0\n4 1\n7 2\n9 3\n')
  })

  test('with a later epoch under way the file holds the later one', async () => {
    const { machine, log } = await recordedLog()
    log.append(numbered(1), { leaderEpoch: 1 })
    const hold = machine.hold(/^rename leader-epoch-checkpoint/)
    const first = log.flush()
    await hold.reached
    log.append(numbered(1), { leaderEpoch: 2 })
    const second = log.flush()
    hold.release()
    await Promise.all([first, second])
    const text = readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')
    expect(text).toBe('0\n2\n1 0\n2 1\n')
  })
})

describe.runIf(canSeeDescriptors)('a close beside reads of many segments', () => {
  const COUNT = 60

  let path = ''

  beforeAll(async () => {
    path = join(tempDir(), 'orders-0')
    const log = await openLog(path)
    segmentEach(log, COUNT)
    await log.close()
  })

  const manySegments = () => recordedLog({}, { path })

  /** For a test that changes the log. */
  function copied() {
    const above = tempDir()
    cpSync(dirname(path), above, { recursive: true })
    return recordedLog({}, { path: join(above, 'orders-0') })
  }

  const reads: [name: string, read: (log: PartitionLog) => Promise<unknown>, right: unknown][] = [
    [
      'offsetForMaxTimestamp',
      (log) => log.offsetForMaxTimestamp(),
      { offset: BigInt(COUNT - 1), timestamp: BigInt(1_000 + COUNT - 1) },
    ],
    ['offsetForTimestamp', (log) => log.offsetForTimestamp(1_030), { offset: 30n, timestamp: 1_030n }],
    ['fetch', async (log) => (await log.fetch(5)).nextOffset, 6n],
    ['read', async (log) => (await collect(log.read())).length, COUNT],
    ['batches', async (log) => (await collect(log.read().batches())).length, COUNT],
    ['follow', async (log) => (await collect(log.read({ follow: true, to: COUNT + 1 }))).length, 'never'],
  ]

  test.each(reads)('%s: ends or is refused, and no file stays open', async (_, read, right) => {
    const { machine, log } = await manySegments()
    const hold = machine.hold(/^lane-read/)
    const outcomes = Promise.allSettled([read(log), read(log)])
    await Promise.race([hold.reached, new Promise((resolve) => setImmediate(resolve))])
    const closing = log.close()
    hold.release()
    await closing
    for (const outcome of await outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toEqual(right)
      else expect(outcome.reason).toMatchObject({ code: 'ERR_CLOSED' })
    }
    expect(openBelow(dirname(path))).toEqual([])
    expect(isClean(log)).toBe(true)
  })

  test('and a truncation: a search that began before opens nothing that is deleted', async () => {
    const { machine, log } = await copied()
    const reading = machine.hold(/^lane-read 10\.log/)
    const renaming = machine.hold(/^rename 59\.log/)
    const search = log.offsetForMaxTimestamp()
    await reading.reached
    const truncating = log.truncateTo(20)
    await renaming.reached
    reading.release()
    const again = machine.hold(/^lane-read 58\.log/)
    await again.reached
    again.release()
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    renaming.release()
    await truncating
    expect(await search).toEqual({ offset: 19n, timestamp: 1_019n })
    await log.close()
    expect(openBelow(dirname(log.path))).toEqual([])
  })

  test('all of them, closed at each of many turns', async () => {
    for (let turns = 0; turns < 8; turns++) {
      const { log } = await manySegments()
      const outcomes = Promise.allSettled(reads.map(([, read]) => read(log)))
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await log.close()
      for (const [index, outcome] of (await outcomes).entries()) {
        if (outcome.status === 'fulfilled') expect(outcome.value).toEqual(reads[index]?.[2])
        else expect(outcome.reason).toMatchObject({ code: 'ERR_CLOSED' })
      }
      expect(openBelow(dirname(path))).toEqual([])
    }
  })
})

test.runIf(canSeeDescriptors)('logs that share one bound of open segments keep it together', async () => {
  const limit = 10
  const openSegments = new OpenSegments(limit)
  const above = tempDir()
  const machine = new RecordingMachine(above, { openSegments })
  const logs: PartitionLog[] = []
  for (const name of ['a-0', 'b-0']) logs.push(closeLater(await openLogOn(machine, join(above, name))))
  for (const log of logs) segmentEach(log, 16)
  await Promise.all(logs.map((log) => log.flush()))
  for (const log of logs) expect(await values(log.read())).toHaveLength(16)
  await new Promise((resolve) => setImmediate(resolve))
  const open = descriptorsBelow(above).filter((path) => path.endsWith('.log'))
  expect(open.length).toBeLessThanOrEqual(limit + logs.length)
  expect(open.length).toBeGreaterThan(logs.length)
})

test('a flush whose turn comes when a truncation has taken its segments goes on without them', async () => {
  const above = tempDir()
  const openSegments = new OpenSegments(1)
  const machine = new RecordingMachine(above, { openSegments })
  const log = closeLater(await openLogOn(machine, join(above, 'orders-0')))
  let letIn = () => {}
  const crowd = openSegments.flushes.pass(
    () =>
      new Promise<void>((resolve) => {
        letIn = resolve
      }),
  )
  log.append(numbered(3))
  log.roll()
  const appended = log.append(numbered(1, 3))
  const flushing = log.flush()
  const isGone = machine.hold(/^rename 3\.log/)
  const truncating = log.truncateTo(2)
  await isGone.reached
  letIn()
  await crowd
  isGone.release()
  await Promise.all([flushing, truncating])
  expect(log.state).toBe('open')
  expect(log.offsets).toMatchObject({ logEndOffset: 2n, durableOffset: 2n })
  await appended.durable()
  expect(machine.taken().some((event) => event.startsWith('flush 3.log'))).toBe(false)
})

describe('a listener that appends', () => {
  const listening: [channel: string, listen: (message: unknown) => void][] = []

  afterEach(() => {
    for (const [channel, listen] of listening.splice(0)) unsubscribe(channel, listen)
  })

  function onEvent(name: string, log: PartitionLog, react: () => void): void {
    const listen = (message: unknown) => {
      if ((message as { log: string }).log === log.name) react()
    }
    subscribe(`partition-log:${name}`, listen)
    listening.push([`partition-log:${name}`, listen])
  }

  /** Appends of its own, with the offset that each was given; at most `most`. */
  function reactingTo(name: string, log: PartitionLog, most: number) {
    const given = new Map<string, bigint>()
    const errors: unknown[] = []
    onEvent(name, log, () => {
      if (given.size >= most) return
      const value = `${name}-${given.size}`
      given.set(value, -1n)
      try {
        given.set(value, log.append([{ key: 'l', value }]).baseOffset)
      } catch (error) {
        errors.push(error)
      }
    })
    return { given, errors }
  }

  test.each(['append', 'roll', 'flush'])('on %s loses no record and overwrites none', async (name) => {
    const path = join(tempDir(), `${name}s-0`)
    const log = await testLog({ path, config: { internalSegmentBytes: 300, indexIntervalBytes: 0 } })
    const { given, errors } = reactingTo(name, log, 25)
    const appended = new Map<string, bigint>()
    for (let n = 0; n < 30; n++) {
      appended.set(`v${n}`, log.append([{ key: 'k', value: `v${n}` }]).baseOffset)
      if (n % 10 === 5) log.roll()
      if (name === 'flush') await log.flush()
    }
    expect(errors).toEqual([])
    expect(given.size).toBeGreaterThan(3)
    await checkRecords(log, new Map([...appended, ...given]))
    await log.close()
    await checkRecords(await testLog({ path }), new Map([...appended, ...given]))
  })

  test('on append, between the groups of one call of a follower', async () => {
    const log = await testLog({ path: join(tempDir(), 'followed-0') })
    const errors: unknown[] = []
    const far = 2n ** 32n
    let isFirst = true
    onEvent('append', log, () => {
      if (!isFirst) return
      isFirst = false
      try {
        log.appendBatches(encodeBatch([{ value: 'listener' }], { baseOffset: far + 5n }), {
          origin: 'follower',
        })
      } catch (error) {
        errors.push(error)
      }
    })
    const bytes = Buffer.concat([
      encodeBatch([{ value: 'first' }], { baseOffset: 0n }),
      encodeBatch([{ value: 'second' }], { baseOffset: far }),
    ])
    let refused: unknown
    try {
      log.appendBatches(bytes, { origin: 'follower' })
    } catch (error) {
      refused = error
    }
    const records = await collect(log.read())
    const offsets = records.map(({ offset }) => offset)
    expect(offsets).toEqual([...offsets].sort((a, b) => (a < b ? -1 : 1)))
    expect(log.offsets.logEndOffset).toBe((offsets.at(-1) as bigint) + 1n)
    if (refused !== undefined) expect(refused).toMatchObject({ code: 'ERR_OFFSET_CONFLICT' })
    expect(records.map(({ value }) => value?.toString())).toContain(errors.length > 0 ? 'second' : 'listener')
  })

  /** Every record is there once, at the offset that its append was given, and no other. */
  async function checkRecords(log: PartitionLog, expected: ReadonlyMap<string, bigint>): Promise<void> {
    const records = await collect(log.read())
    const found = records.map(({ value, offset }) => [value?.toString(), offset] as const)
    const byOffset = [...expected].sort(([, a], [, b]) => (a < b ? -1 : 1))
    expect(found).toEqual(byOffset)
    expect(new Set(expected.values()).size).toBe(expected.size)
  }
})

describe('onOffline', () => {
  test('that throws keeps nobody from the answer', async () => {
    const warnings: string[] = []
    const warn = (warning: Error) => warnings.push(warning.message)
    process.on('warning', warn)
    try {
      const { machine, log } = await recordedLog(
        {},
        {
          onOffline: () => {
            throw new Error('fault of the host')
          },
        },
      )
      machine.fail(/^flush 0\.log/, 'EIO')
      const appends = [log.append(numbered(1)), log.append(numbered(1, 1))]
      const outcomes = await Promise.allSettled(appends.map(({ durable }) => durable()))
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(outcomes).toMatchObject(appends.map(() => ({ reason: { code: 'ERR_IO', errno: 'EIO' } })))
      expect(log.state).toBe('offline')
      await log.close()
      expect(isClean(log)).toBe(false)
    } finally {
      await new Promise((resolve) => setImmediate(resolve))
      process.off('warning', warn)
    }
    expect(warnings).toEqual([expect.stringContaining('fault of the host')])
  })
})

describe('a close in the turn of a truncation', () => {
  test('ends after it, cleanly', async () => {
    const { machine, log } = await recordedLog()
    for (let n = 0; n < 6; n++) log.append(numbered(1, n))
    machine.taken()
    const hold = machine.hold(/^rename recovery-point/)
    const truncating = log.truncateTo(4)
    const closing = log.close()
    await hold.reached
    hold.release()
    expect(await truncating).toBe(true)
    await closing
    const events = machine.taken()
    expect(events.indexOf('truncate 0.log')).toBeLessThan(events.indexOf('trim 0.log'))
    expect(isClean(log)).toBe(true)
    const again = await testLog({ path: log.path })
    expect(again.offsets.logEndOffset).toBe(4n)
    expect(await values(again.read())).toEqual(['v0', 'v1', 'v2', 'v3'])
  })

  test.each([
    ['in the same turn', true],
    ['after it', false],
  ])('that fails, %s: seals nothing and leaves no marker', async (_, isSameTurn) => {
    const { machine, log } = await recordedLog()
    for (let n = 0; n < 6; n++) log.append(numbered(1, n))
    await log.flush()
    machine.taken()
    machine.fail(/^flush 0\.log/, 'EIO')
    const truncating = log.truncateTo(4)
    const refused = expect(truncating).rejects.toMatchObject({ code: 'ERR_IO' })
    if (!isSameTurn) await refused
    await log.close().catch(() => undefined)
    await refused
    const events = machine.taken()
    expect(events).toContain('truncate 0.log')
    expect(events.filter((event) => /^trim|cleanshutdown/.test(event))).toEqual([])
    expect(log.state).toBe('closed')
    expect(isClean(log)).toBe(false)
  })
})
