/** Retention that may not, or cannot: logs of somebody else's making, and failures. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLogOn } from '../../lib/manager/open-log.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { closeLater, numbered, values } from '../support/log.js'
import { START_MS, type TestClock } from '../support/machine.js'
import { basesOf, segmentedLog, segmentFilesOf } from '../support/segmented-log.js'
import { settling } from '../support/settled.js'
import { memoryDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'
import { until } from '../support/turns.js'

const MARKER = '.kafka_cleanshutdown'

describe('a log that somebody else made', () => {
  /** A log without settings of ours, a year old; gives a fresh copy with each call. */
  async function foreignLog(): Promise<() => string> {
    const { log, directory } = await segmentedLog({ config: { retentionMs: 1 } })
    await log.close()
    rmSync(join(log.path, 'partition-log.properties'))
    return () => {
      const above = memoryDir()
      cpSync(directory, above, { recursive: true })
      return join(above, 'orders-0')
    }
  }

  function aYearLater() {
    const { machine, settled } = settling(new FailingMachine())
    const clock = machine.clock as TestClock
    clock.advance(400 * 86_400_000)
    return { machine, settled, clock }
  }

  test('loses nothing by any default when it is opened by itself', async () => {
    const path = (await foreignLog())()
    const { machine, settled, clock } = aYearLater()
    const tree = () => treeOf(path, (name) => name === 'leader-epoch-checkpoint')
    const before = tree()
    const log = closeLater(await openLogOn(machine, path))
    expect(await log.runRetention()).toEqual({ deletions: [], logStartOffset: 0n })
    clock.advance(86_400_000)
    await settled()
    await log.deleteRecordsBefore(4)
    expect((await log.runRetention()).deletions).toEqual([])
    await log.close()
    expect(tree()).toEqual(before)
  })

  test('is retained by settings of deletion, and by no others', async () => {
    const copy = await foreignLog()
    const { machine } = aYearLater()
    const tuned = closeLater(await openLogOn(machine, copy(), { config: { segmentMs: 60_000, flushMs: 5 } }))
    expect((await tuned.runRetention()).deletions).toEqual([])
    const settings = [
      { retentionMs: 86_400_000 },
      { retentionBytes: 10 },
      { cleanupPolicy: ['delete'] as const },
    ]
    for (const config of settings) {
      const log = closeLater(await openLogOn(machine, copy(), { config }))
      expect((await log.runRetention()).deletions.length, JSON.stringify(config)).toBeGreaterThan(0)
    }
  })
})

describe('a check that fails', () => {
  test.each([
    ['rename', /timeindex$/],
    ['flushPath', /orders-0$/],
  ] as const)('at %s takes the log offline, and no marker vouches for it', async (kind, path) => {
    const { log, machine, directory, offline } = await segmentedLog({ config: { retentionBytes: 200 } })
    await log.flush()
    machine.failWhere(kind, path)
    expect(await codeOf(() => log.runRetention())).toBe('ERR_IO')
    expect([log.state, offline]).toEqual(['offline', [['ERR_IO', 'orders-0']]])
    machine.mend()
    expect(errorFrom(() => log.append(numbered(1))).code).toBe('ERR_OFFLINE')
    await log.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
    const reader = closeLater(await openLogOn(machine, log.path, { readOnly: true }))
    // All that was to be kept is there, and what is there has no hole.
    const left = await values(reader.read())
    expect(left).toEqual(Array.from({ length: left.length }, (_, n) => `v${8 - left.length + n}`))
    expect(left.length).toBeGreaterThanOrEqual(4)
  })

  /** A full disk is told, unless the check found another way. */
  const orFull = (check: Promise<unknown>) =>
    check.catch((error) => expect(error).toMatchObject({ code: 'ERR_DISK_FULL' }))

  test('for want of space to roll keeps the active segment, and the log goes on', async () => {
    const { log, machine, offline } = await segmentedLog({ config: { retentionBytes: 0 } })
    machine.failNth('openLogFile', 1, 'ENOSPC')
    await orFull(log.runRetention())
    machine.mend()
    expect([log.state, offline]).toEqual(['open', []])
    expect([[0, 2, 4, 6], [6]]).toContainEqual(basesOf(log))
    expect(log.offsets.logStartOffset).toBe(BigInt(basesOf(log)[0] ?? -1))
    expect(log.append(numbered(1, 8)).baseOffset).toBe(8n)
    await log.runRetention()
    expect(log.offsets.logStartOffset).toBe(9n)
  })

  test('for want of space for the epochs has taken the segments, and writes them with the next flush', async () => {
    const { log, machine, offline } = await segmentedLog({ segments: 0, config: { retentionBytes: 150 } })
    for (let n = 0; n < 8; n++) log.append(numbered(1, n, START_MS), { leaderEpoch: n >> 1 })
    await log.flush()
    machine.failWhere('write', /leader-epoch/, 'ENOSPC')
    await orFull(log.runRetention())
    machine.mend()
    expect([log.state, offline, basesOf(log)]).toEqual(['open', [], [4, 6]])
    await log.flush()
    expect(readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')).toBe('0\n2\n2 4\n3 6\n')
    machine.clock.advance(60_000)
    await until(() => segmentFilesOf(log).every((name) => !name.endsWith('.deleted')))
  })

  test('known fault 16: at a time index with a zero entry behind it takes no segment for old', async () => {
    const { log, machine } = await segmentedLog({ config: { retentionMs: 3_600_000 } })
    await log.close()
    const path = join(log.path, '00000000000000000002.timeindex')
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(12)]))
    const again = closeLater(await openLogOn(machine, log.path))
    // Nothing of it is old yet: it is not taken, and that its index is damaged is told.
    const error = await rejection(() => again.deleteRecordsBefore(2).then(() => again.runRetention()))
    expect(error).toMatchObject({ code: 'ERR_CORRUPT', path })
    expect(segmentFilesOf(again)).toContain('2.log')
    expect([again.state, again.offsets.logStartOffset]).toEqual(['open', 2n])
  })

  test('at the fsync of a segment that shows a new start takes the log offline', async () => {
    const { log, machine, offline } = await segmentedLog({ segments: 0 })
    log.append(numbered(4))
    // Into the batch: the log ends at 2, its files at 0.
    await log.truncateTo(2)
    machine.failWhere('flushPath', /orders-0$/)
    expect(await codeOf(() => log.deleteRecordsBefore(1))).toBe('ERR_IO')
    expect([log.state, offline]).toEqual(['offline', [['ERR_IO', 'orders-0']]])
  })

  test('is refused where there is nothing to check', async () => {
    const { log, machine } = await segmentedLog({ config: { retentionBytes: 0 } })
    machine.failNth('append', 1)
    expect(() => log.append(numbered(1))).toThrow()
    expect(await codeOf(() => log.runRetention())).toBe('ERR_OFFLINE')
    await log.close()
    expect(await codeOf(() => log.runRetention())).toBe('ERR_CLOSED')
  })
})
