/** What a manager tells of its logs: all of them, at one moment, and what cannot be asked. */
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { PartitionLogError } from '../../lib/errors.js'
import { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import type { LogManagerOptions } from '../../lib/manager/manager-options.js'
import { openLog } from '../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { START_MS, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const opened: LogManager[] = []
afterEach(async () => {
  for (const manager of opened.splice(0)) await manager.close().catch(() => undefined)
})

const CHECKS = { initialTaskDelayMs: 7_000, retentionCheckIntervalMs: 60_000 }

async function managerOf(data: string, options: Partial<LogManagerOptions> = {}): Promise<LogManager> {
  const manager = await openLogManagerOn(testMachine(), { logDirs: [data], manager: CHECKS, ...options })
  opened.push(manager)
  return manager
}

it('tells of each log by topic and partition, with the time of the next check', async () => {
  const manager = await managerOf(tempDir(), { config: { retentionMs: 1_000 } })
  for (const partition of [10, 2]) {
    const log = await manager.createLog({ topic: 'orders', partition })
    log.append([{ value: 'v', timestamp: START_MS }])
  }
  await manager.createLog({ topic: 'keys', partition: 0 }, { cleanupPolicy: ['compact'] })
  const { logs, problems } = manager.explain()
  expect(problems).toEqual([])
  expect(logs.map(({ log, nextCheck }) => [log, nextCheck])).toEqual([
    ['keys-0', { kind: 'scheduled', nextMs: START_MS + 15_000, intervalMs: 15_000 }],
    ['orders-2', { kind: 'scheduled', nextMs: START_MS + 7_000, intervalMs: 60_000 }],
    ['orders-10', { kind: 'scheduled', nextMs: START_MS + 7_000, intervalMs: 60_000 }],
  ])
  expect(logs[1]?.segments[0]).toMatchObject({ checkMs: START_MS + 7_000, goes: { rule: 'retention.ms' } })
  const later = manager.explain({ nowMs: START_MS + 8_000 })
  expect(later.logs[1]?.nextCheck).toMatchObject({ nextMs: START_MS + 67_000 })
})

it('tells what is not open or offline, as plain data', async () => {
  const data = tempDir()
  for (const name of ['bad-0', 'good-0']) {
    const log = await openLog(join(data, name), { config: { indexIntervalBytes: 0 } })
    log.append([{ value: 'v' }])
    await log.close()
  }
  truncateSync(join(data, 'bad-0', '00000000000000000000.log'), 1)
  const manager = await managerOf(data)
  const log = manager.getLog({ topic: 'good', partition: 0 }) as PartitionLog
  expect(manager.explain()).toMatchObject({
    logs: [{ log: 'good-0' }],
    problems: [{ log: 'bad-0', paths: [join(data, 'bad-0')], code: 'ERR_CORRUPT' }],
  })
  PartitionLog.coreOf(log).goOffline(new PartitionLogError('ERR_IO', 'the disk is gone'))
  const { logs, problems } = JSON.parse(JSON.stringify(manager.explain())) as ReturnType<
    LogManager['explain']
  >
  expect(logs).toEqual([])
  expect(problems).toMatchObject([
    { log: 'bad-0' },
    { log: 'good-0', code: 'ERR_OFFLINE', message: expect.stringContaining('the disk is gone') },
  ])
})

it('is refused once closed, and with options that nobody knows', async () => {
  const manager = await managerOf(tempDir())
  await manager.createLog({ topic: 'orders', partition: 0 })
  expect(() => manager.explain({ now: 1 } as never)).toThrow(TypeError)
  expect(() => manager.explain({ nowMs: -1 })).toThrow(RangeError)
  await manager.close()
  expect(() => manager.explain()).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }))
})
