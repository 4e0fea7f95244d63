/** Log managers in temporary directories, for tests. */
import { afterEach } from 'vitest'
import type { PartitionLogError } from '../../lib/errors.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import type { Machine } from '../../lib/manager/machine.js'
import type { LogManagerOptions, OfflinePlace } from '../../lib/manager/manager-options.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { numbered } from './log.js'
import { testMachine } from './machine.js'
import { swiftBackend } from './swift-backend.js'
import { memoryDir } from './temp-dir.js'

const opened: LogManager[] = []

afterEach(async () => {
  for (const manager of opened.splice(0)) await manager.close().catch(() => undefined)
})

/** What a manager told its `onOffline`: the code, and the log or directory. */
export type Told = readonly [code: string, place: string | undefined]

export interface ManagerSetting extends Omit<LogManagerOptions, 'logDirs' | 'backend'> {
  /** Default: one fresh directory. */
  readonly logDirs?: readonly string[]
  /** Default: this run's backend without fsync, and a time that stands still. */
  readonly machine?: Machine
  /** Takes what `onOffline` was told. */
  readonly offline?: Told[]
}

/** Opens a manager that is closed when the test ends. */
export async function testManager(setting: ManagerSetting = {}): Promise<LogManager> {
  const {
    logDirs = [memoryDir()],
    machine = testMachine({ backend: swiftBackend() }),
    offline,
    ...options
  } = setting
  const onOffline = (error: PartitionLogError, where: OfflinePlace) =>
    void offline?.push([error.code, where.log?.name ?? where.logDir])
  const manager = await openLogManagerOn(machine, { onOffline, ...options, logDirs })
  opened.push(manager)
  return manager
}

/** A directory with these logs, three batches of one record in each, closed cleanly. */
export async function closedDirectory(...names: string[]): Promise<string> {
  const directory = memoryDir()
  const manager = await testManager({ logDirs: [directory] })
  for (const name of names) {
    const log = await manager.createLog(named(name))
    for (let n = 0; n < 3; n++) log.append(numbered(1, n))
  }
  await manager.close()
  return directory
}

/** The names of a manager's logs. */
export function namesOf(manager: LogManager): string[] {
  return manager.logs().map(({ name }) => name)
}

/** `topic-partition` as a manager takes it. */
export function named(name: string): { topic: string; partition: number } {
  const dash = name.lastIndexOf('-')
  return { topic: name.slice(0, dash), partition: Number(name.slice(dash + 1)) }
}
