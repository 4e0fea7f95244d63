/** What happens to a log while a cleaning holds copies of its segments: the copies never bring anything back. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { COMPACTED, CompactedModel, recordsOf, unfinishedIn } from '../support/compacted-log.js'
import { codeOf } from '../support/errors.js'
import { closeLater } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { named, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { basesOf } from '../support/segmented-log.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

interface Held {
  readonly log: PartitionLog
  readonly machine: RecordingMachine
  readonly model: CompactedModel
}

/** Six sealed segments of two records. */
async function heldLog(config: LogConfigInput = {}): Promise<Held> {
  const directory = memoryDir()
  const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
  const log = await openLogOn(machine, join(directory, 'orders-0'), { config: { ...COMPACTED, ...config } })
  closeLater(log)
  const model = new CompactedModel()
  model.fill(log, 6)
  await log.flush()
  return { log, machine, model }
}

/** The cleaning has written its first output; `release` lets it swap that in. */
async function cleaningHeld({ log, machine }: Held) {
  const hold = machine.hold(/^flushPath 0\.log\.cleaned/)
  const cleaning = log.clean()
  const ended = cleaning.then(
    () => 'cleaned',
    (error: { code?: string }) => error.code,
  )
  await hold.reached
  return { release: hold.release, ended }
}

/** What lies on disk is what was served, and a cleaning of it ends well. */
async function expectSound({ log, model }: Held, start = 0): Promise<void> {
  model.expectIn(await recordsOf(log), { start })
  expect(unfinishedIn(log.path)).toEqual([])
  await log.clean()
  model.expectIn(await recordsOf(log), { start })
  const { path } = log
  await log.close()
  const again = closeLater(await openLogOn({ ...plainMachine() }, path))
  model.expectIn(await recordsOf(again), { start })
}

function plainMachine() {
  const { entropy, files, backend } = new RecordingMachine('', { backend: swiftBackend() })
  return { clock: new TestClock(), entropy, files, backend }
}

describe('while a cleaning holds a copy', () => {
  test('known fault 107: a truncation and appends behind it are not undone', async () => {
    const held = await heldLog()
    const { log, model } = held
    const { release, ended } = await cleaningHeld(held)
    await log.truncateTo(1)
    model.appended.length = 1
    for (let n = 0; n < 4; n++) model.append(log, [`k${n}`, `anew ${n}`])
    release()
    expect(await ended).toBe('ERR_CLOSED')
    model.expectIn(await recordsOf(log), { isAll: true })
    await expectSound(held)
  })

  test('known fault 107: nor one that cuts above what is copied', async () => {
    const held = await heldLog()
    const { log, model } = held
    const { release, ended } = await cleaningHeld(held)
    // The record that takes the place of one in the copy goes.
    await log.truncateTo(9)
    model.appended.length = 9
    release()
    expect(await ended).toBe('ERR_CLOSED')
    model.expectIn(await recordsOf(log), { isAll: true })
    await expectSound(held)
  })

  test('known fault 101: segments that retention takes meanwhile stay gone', async () => {
    const held = await heldLog({ cleanupPolicy: ['compact', 'delete'], retentionBytes: 600 })
    const { log, model } = held
    const { release, ended } = await cleaningHeld(held)
    const { deletions } = await log.runRetention()
    expect(deletions.length).toBeGreaterThan(0)
    const start = Number(log.offsets.logStartOffset)
    release()
    expect(await ended).toBe('ERR_CLOSED')
    expect(basesOf(log)[0]).toBe(start)
    model.expectIn(await recordsOf(log), { isAll: true, start })
    await expectSound(held, start)
  })

  test('a new start of the log stands', async () => {
    const held = await heldLog()
    const { log } = held
    const { release, ended } = await cleaningHeld(held)
    await log.deleteRecordsBefore(5)
    release()
    expect(await ended).toBe('cleaned')
    expect(log.offsets.logStartOffset).toBe(5n)
    await expectSound(held, 5)
  })

  test('a log that is not to be compacted any more keeps what it has', async () => {
    const held = await heldLog()
    const { log, model } = held
    const { release, ended } = await cleaningHeld(held)
    await log.updateConfig({ cleanupPolicy: ['delete'] })
    release()
    expect(await ended).toBe('ERR_CLOSED')
    model.expectIn(await recordsOf(log), { isAll: true })
    expect(unfinishedIn(log.path)).toEqual([])
  })

  test('a close ends it, and leaves nothing', async () => {
    const held = await heldLog()
    const { log, model } = held
    const { release, ended } = await cleaningHeld(held)
    const closing = log.close()
    release()
    await closing
    expect(await ended).toBe('ERR_CLOSED')
    expect(unfinishedIn(log.path)).toEqual([])
    const again = closeLater(await openLogOn(plainMachine(), log.path))
    expect(again.recovery).toBeNull()
    model.expectIn(await recordsOf(again), { isAll: true })
  })
})

test('a truncation that comes while a cleaning is noted down has the last word', async () => {
  const held = await heldLog()
  const { log, machine } = held
  const hold = machine.hold(/^write cleaner-offset-checkpoint/)
  const cleaning = log.clean()
  await hold.reached
  const truncating = log.truncateTo(9)
  await until(() => machine.taken().some((event) => event.startsWith('rename replication-offset-checkpoint')))
  await turns(50)
  hold.release()
  await Promise.all([cleaning, truncating])
  const base = basesOf(log).at(-1)
  expect(base).toBeLessThanOrEqual(9)
  const lines = readFileSync(join(log.path, '..', 'cleaner-offset-checkpoint'), 'utf8')
  expect(lines).toContain(`orders 0 ${base}\n`)
  expect(log.explain().cleaning).toMatchObject({ firstDirtyOffset: BigInt(base as number) })
})

describe('amid a swap', () => {
  test('a truncation waits for its end', async () => {
    const held = await heldLog()
    const { log, machine, model } = held
    const hold = machine.hold(/^rename 0\.log\.swap/)
    const cleaning = log.clean().catch(({ code }: { code?: string }) => code)
    await hold.reached
    const truncating = log.truncateTo(9)
    await turns(50)
    expect(unfinishedIn(log.path)).not.toEqual([])
    hold.release()
    expect(await truncating).toBe(true)
    expect(await cleaning).toBe('ERR_CLOSED')
    // What the first swap had dropped stays dropped.
    const found = await recordsOf(log)
    model.appended.length = 9
    for (const { offset, value } of found) expect(String(value)).toBe(`v${offset}`)
    expect(found.map(({ offset }) => Number(offset)).slice(-5)).toEqual([4, 5, 6, 7, 8])
    expect(unfinishedIn(log.path)).toEqual([])
  })

  test('retention waits for its end, and takes the new segment by its name', async () => {
    const held = await heldLog({ cleanupPolicy: ['compact', 'delete'], retentionBytes: 600 })
    const { log, machine } = held
    const hold = machine.hold(/^rename 0\.log\.swap/)
    const cleaning = log.clean()
    await hold.reached
    const retaining = log.runRetention()
    await turns(50)
    hold.release()
    await retaining
    await cleaning
    expect(unfinishedIn(log.path)).toEqual([])
    const start = Number(log.offsets.logStartOffset)
    await expectSound(held, start)
  })
})

describe('known fault 103', () => {
  test('a log of an old name has not been cleaned', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory], config: COMPACTED })
    const line = () => readFileSync(join(directory, 'cleaner-offset-checkpoint'), 'utf8')
    const name = named('orders-0')
    const first = await manager.createLog(name)
    new CompactedModel().fill(first, 6)
    await manager.runCleaner()
    expect(line()).toContain('orders 0 12')
    await manager.deleteLog(name)
    expect(line()).not.toContain('orders')
    const model = new CompactedModel()
    const second = await manager.createLog(name)
    model.fill(second, 8)
    expect(second.explain().cleaning).toMatchObject({ firstDirtyOffset: 0n, isDue: true })
    await manager.runCleaner()
    const offsets = (await recordsOf(second)).map(({ offset }) => Number(offset))
    expect(offsets).toEqual(model.staying(16))
  })

  test('a truncation that fails does not leave cleaning paused', async () => {
    const held = await heldLog()
    const { log, machine, model } = held
    machine.fail(/^write recovery-point-offset-checkpoint/, 'ENOSPC')
    expect(await codeOf(() => log.truncateTo(4))).toBe('ERR_DISK_FULL')
    expect(await log.clean()).not.toBeNull()
    await until(() => unfinishedIn(log.path).length === 0)
    model.expectIn(await recordsOf(log))
  })
})
