/** What is flushed, and before what: the order that a stop at any moment relies on. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { closeLater, numbered } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

interface Recorded {
  readonly machine: RecordingMachine
  readonly log: PartitionLog
}

async function recordedLog(
  config: LogConfigInput = {},
  path = join(tempDir(), 'orders-0'),
): Promise<Recorded> {
  const machine = new RecordingMachine(dirname(path))
  const log = closeLater(await openLogOn(machine, path, { config }))
  return { machine, log }
}

/** One after the other, one batch each. */
function appendEach(log: PartitionLog, count: number): void {
  const from = Number(log.offsets.logEndOffset)
  for (let n = from; n < from + count; n++) log.append(numbered(1, n, 1_000 + n))
}

/** Closed and open again: its checkpoints say where it ended, its segments are sealed but for the last. */
async function reopened({ log }: Recorded): Promise<Recorded> {
  await log.close()
  return recordedLog({}, log.path)
}

/** Fails unless `expected` are events, in this order; others may stand between. */
function expectOrder(events: readonly string[], ...expected: string[]): void {
  let from = 0
  for (const event of expected) {
    const at = events.indexOf(event, from)
    if (at < 0) expect.fail(`no "${event}" behind the ${from}th of\n${events.join('\n')}`)
    from = at + 1
  }
}

/** Every small file is replaced so that a stop leaves the old or the new one. Gives their names. */
function expectReplacements(events: readonly string[]): string[] {
  const names: string[] = []
  for (const [at, event] of events.entries()) {
    if (!event.startsWith('rename ') || !event.endsWith('.tmp')) continue
    const name = event.slice('rename '.length, -'.tmp'.length)
    names.push(name)
    expect(events.slice(at - 2, at + 2)).toEqual([
      `write ${name}.tmp`,
      `flushPath ${name}.tmp`,
      event,
      expect.stringMatching(/^flushPath (orders-0|above)$/),
    ])
  }
  return names
}

const FIRST = 'flush 0.log 0.index 0.timeindex'
const CHECKPOINTS = [
  'recovery-point-offset-checkpoint',
  'log-start-offset-checkpoint',
  'replication-offset-checkpoint',
]

describe('an append that is made durable', () => {
  test('flushes the files of a new segment and its directory, then the .log alone', async () => {
    const { machine, log } = await recordedLog()
    machine.taken()
    await log.append(numbered(1)).durable()
    expect(machine.taken()).toEqual(['append 0.log', FIRST, 'flushPath orders-0'])
    const second = log.append(numbered(1, 1))
    await second.durable()
    expect(machine.taken()).toEqual(['append 0.log', 'flush 0.log'])
    await second.durable()
    await log.whenDurable(0)
    expect(machine.taken()).toEqual([])
  })

  test('flushes an index when it got an entry', async () => {
    const { machine, log } = await recordedLog({ indexIntervalBytes: 0 })
    await log.append(numbered(1, 0, 1_000)).durable()
    machine.taken()
    await log.append(numbered(1, 1, 1_001)).durable()
    expect(machine.taken()).toEqual(['append 0.log 0.index 0.timeindex', FIRST])
    await log.append(numbered(1, 2, 900)).durable()
    expect(machine.taken()).toEqual(['append 0.log 0.index', 'flush 0.log 0.index'])
  })

  test('flushes what was appended while an earlier flush was under way', async () => {
    const { machine, log } = await recordedLog({ indexIntervalBytes: 0 })
    await log.append(numbered(1)).durable()
    machine.taken()
    const hold = machine.hold(/^flush 0\.log/)
    const first = log.append(numbered(1, 1, 900)).durable()
    await hold.reached
    const second = log.append(numbered(1, 2, 900)).durable()
    hold.release()
    await first
    expect(log.offsets.durableOffset).toBe(2n)
    await second
    expect(log.offsets.durableOffset).toBe(3n)
    const flushed = machine.taken().filter((event) => event.startsWith('flush'))
    expect(flushed).toEqual([FIRST, 'flush 0.log 0.index'])
  })

  test('in a log opened again flushes the .log alone: no record needs the length that its indexes grew to', async () => {
    const before = await recordedLog()
    appendEach(before.log, 3)
    const { machine, log } = await reopened(before)
    machine.taken()
    await log.append(numbered(1, 3)).durable()
    expect(machine.taken()).toEqual(['append 0.log', 'flush 0.log'])
    await log.close()
    const events = machine.taken().filter((event) => !event.includes('snapshot'))
    expect(events.slice(0, 2)).toEqual(['trim 0.log', FIRST])
  })
})

describe('a roll', () => {
  test('has its sealed segment and the directory flushed behind it', async () => {
    const { machine, log } = await recordedLog()
    await log.append(numbered(1)).durable()
    machine.taken()
    log.append(numbered(1, 1))
    // Nobody asks for the flush but the roll.
    const last = machine.hold(/^flushPath orders-0$/)
    log.roll()
    await last.reached
    last.release()
    await log.whenDurable(1)
    expect(machine.taken()).toEqual([
      'append 0.log',
      'trim 0.log',
      'create 2.log',
      'create 2.index',
      'create 2.timeindex',
      'write 2.snapshot',
      'flushPath 2.snapshot',
      FIRST,
      'flushPath orders-0',
    ])
    await log.append(numbered(1, 2)).durable()
    expect(machine.taken()).toEqual(['append 2.log', 'flush 2.log 2.index 2.timeindex'])
  })

  test('while a flush is under way has the directory flushed again', async () => {
    const { machine, log } = await recordedLog()
    const hold = machine.hold(/^flushPath orders-0$/)
    const first = log.append(numbered(1)).durable()
    await hold.reached
    log.roll()
    const second = log.append(numbered(1, 1)).durable()
    machine.taken()
    hold.release()
    await Promise.all([first, second])
    const events = machine.taken()
    expect(events.filter((event) => !event.includes('snapshot'))[0]).toBe('flushPath orders-0')
    expect(events.at(-1)).toBe('flushPath orders-0')
    expect(events.some((event) => event.includes('1.log 1.index 1.timeindex'))).toBe(true)
  })

  test('right after a durable append has what the seal changed flushed all the same', async () => {
    const { machine, log } = await recordedLog()
    await log.append(numbered(1)).durable()
    machine.taken()
    log.roll()
    await log.append(numbered(1, 1)).durable()
    const events = machine.taken()
    const sealed = events.slice(events.indexOf('trim 0.log'))
    expect(sealed.some((event) => event.startsWith('flush ') && event.includes('0.timeindex'))).toBe(true)
  })

  test('has what the seal changed flushed before the log is closed cleanly', async () => {
    const { machine, log } = await recordedLog()
    await log.append(numbered(1)).durable()
    log.roll()
    machine.taken()
    await log.close()
    const events = machine.taken()
    const checkpointed = events.slice(0, events.indexOf('write recovery-point-offset-checkpoint.tmp'))
    expect(checkpointed.some((event) => event.startsWith('flush ') && event.includes('0.timeindex'))).toBe(
      true,
    )
  })
})

describe('a close', () => {
  test('has the records on disk before the checkpoints, and those before the marker', async () => {
    const { machine, log } = await recordedLog({ indexIntervalBytes: 0 })
    appendEach(log, 3)
    machine.taken()
    await log.close()
    const events = machine.taken()
    expectOrder(
      events,
      FIRST,
      'flushPath orders-0',
      'rename leader-epoch-checkpoint.tmp',
      'trim 0.log',
      FIRST,
      'flushPath orders-0',
      ...CHECKPOINTS.map((name) => `write ${name}.tmp`),
      'flushPath above',
      'write .kafka_cleanshutdown.tmp',
      'flushPath .kafka_cleanshutdown.tmp',
      'rename .kafka_cleanshutdown.tmp',
      'flushPath above',
    )
    expect(expectReplacements(events)).toEqual([
      'leader-epoch-checkpoint',
      ...CHECKPOINTS,
      '.kafka_cleanshutdown',
    ])
    expect(events.at(-1)).toBe('flushPath above')
  })

  test('of a log whose records are durable flushes what the seal changed', async () => {
    const { machine, log } = await recordedLog()
    await log.append(numbered(1)).durable()
    machine.taken()
    await log.close()
    const events = machine.taken()
    const sealed = events.slice(events.indexOf('trim 0.log'))
    expect(sealed.slice(0, 4)).toEqual([
      'trim 0.log',
      FIRST,
      'flushPath orders-0',
      'write recovery-point-offset-checkpoint.tmp',
    ])
  })

  test('the next open takes the marker away, for good, before anything else', async () => {
    const before = await recordedLog()
    appendEach(before.log, 1)
    const { machine } = await reopened(before)
    expect(machine.taken().filter((event) => !event.startsWith('makeDirectory'))).toEqual([
      'remove .kafka_cleanshutdown',
      'flushPath above',
    ])
  })
})

describe('truncateTo', () => {
  /** Segments with three records each, closed and open again. */
  async function segmented(count: number): Promise<Recorded> {
    const before = await recordedLog()
    for (let n = 0; n < count; n++) {
      if (n > 0) before.log.roll()
      appendEach(before.log, 3)
    }
    const recorded = await reopened(before)
    recorded.machine.taken()
    return recorded
  }

  const recoveryPoint = ({ log }: Recorded) =>
    readFileSync(join(dirname(log.path), 'recovery-point-offset-checkpoint'), 'latin1').split('\n')[2]

  test('known fault 188: lowers the checkpoint, takes segments away from the top, cuts, and flushes', async () => {
    const recorded = await segmented(4)
    const { machine, log } = recorded
    expect(await log.truncateTo(4)).toBe(true)
    const events = machine.taken()
    expectReplacements(events)
    const renamed = events.filter((event) => /^rename \d/.test(event))
    expect(renamed.filter((event) => event.endsWith('.log'))).toEqual(['rename 9.log', 'rename 6.log'])
    expect(renamed.slice(0, 1)).toEqual(['rename 9.log'])
    expectOrder(
      events,
      'rename recovery-point-offset-checkpoint.tmp',
      'flushPath above',
      'rename 9.log',
      'rename 6.log',
      'flushPath orders-0',
      'truncate 3.log',
      'flush 3.log 3.index 3.timeindex',
    )
    expect(recoveryPoint(recorded)).toBe('orders 0 4')
  })

  test('has the lower checkpoint on disk before it touches a segment, and before appends go on', async () => {
    const recorded = await segmented(3)
    const { machine, log } = recorded
    expect(recoveryPoint(recorded)).toBe('orders 0 9')
    const hold = machine.hold(/^rename 6\.log$/)
    const cut = machine.hold(/^flush 0\.log/)
    const truncating = log.truncateTo(1)
    await hold.reached
    expect(recoveryPoint(recorded)).toBe('orders 0 1')
    expect(() => log.append(numbered(1))).toThrowError(
      expect.objectContaining({ code: 'ERR_OFFSET_CONFLICT' }),
    )
    hold.release()
    await cut.reached
    expect(() => log.append(numbered(1))).toThrowError(
      expect.objectContaining({ code: 'ERR_OFFSET_CONFLICT' }),
    )
    cut.release()
    await truncating
    expect(log.append(numbered(1)).baseOffset).toBe(1n)
  })

  test('below all segments begins the new one before the old ones go', async () => {
    const recorded = await segmented(3)
    const { log } = recorded
    await log.deleteRecordsBefore(4)
    await log.close()
    for (const name of readdirSync(log.path)) if (/^0{20}\./.test(name)) rmSync(join(log.path, name))
    const again = await recordedLog({}, log.path)
    again.machine.taken()
    await again.log.truncateTo(2)
    const events = again.machine.taken()
    expectReplacements(events)
    expectOrder(
      events,
      'rename recovery-point-offset-checkpoint.tmp',
      'flushPath above',
      'create 2.log',
      'rename 6.log',
      'rename 3.log',
      'flushPath orders-0',
    )
    await again.log.append(numbered(1)).durable()
    expectOrder(again.machine.taken(), 'append 2.log', 'flush 2.log 2.index 2.timeindex')
  })
})

describe('a new log', () => {
  test('has its names and small files on disk before its first segment', async () => {
    const path = join(tempDir(), 'deep', 'orders-0')
    const { machine } = await recordedLog({}, path)
    const events = machine.taken()
    expect(expectReplacements(events)).toEqual([
      'partition-log.properties',
      'partition.metadata',
      'leader-epoch-checkpoint',
      'recovery-point-offset-checkpoint',
    ])
    const parent = machine.name(dirname(dirname(path)))
    expectOrder(
      events,
      'makeDirectory above',
      `flushPath ${parent}`,
      'makeDirectory orders-0',
      'flushPath above',
      'rename leader-epoch-checkpoint.tmp',
      'flushPath orders-0',
      'create 0.log',
    )
    expect(events.slice(-3)).toEqual(['create 0.log', 'create 0.index', 'create 0.timeindex'])
  })
})

describe('deleteRecordsBefore', () => {
  test('resolves when the new start is on disk', async () => {
    const { machine, log } = await recordedLog()
    appendEach(log, 5)
    const start = () => readFileSync(join(dirname(log.path), 'log-start-offset-checkpoint'), 'latin1')
    machine.taken()
    const hold = machine.hold(/^rename log-start-offset-checkpoint\.tmp$/)
    let isSettled = false
    const deleting = log.deleteRecordsBefore(3).finally(() => {
      isSettled = true
    })
    await hold.reached
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSettled).toBe(false)
    const named = machine.hold(/^flushPath above$/)
    hold.release()
    await named.reached
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSettled).toBe(false)
    expect(start()).toBe('0\n1\norders 0 3\n')
    named.release()
    expect(await deleting).toBe(3n)
    // The epochs first: a recovery finds only those from the recovery point on.
    expect(expectReplacements(machine.taken())).toEqual(['leader-epoch-checkpoint', ...CHECKPOINTS])
  })

  test('raises the recovery point only above records that are on disk', async () => {
    const { machine, log } = await recordedLog()
    appendEach(log, 5)
    machine.taken()
    await log.deleteRecordsBefore(3)
    expectOrder(machine.taken(), FIRST, 'rename recovery-point-offset-checkpoint.tmp')
    expect(log.offsets.durableOffset).toBeGreaterThanOrEqual(3n)
  })
})
