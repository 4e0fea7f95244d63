/**
 * The protocols that change a disk, each as a short story about one or two
 * logs. Every fsync of the code is asked for in at least one of them.
 */
import { join } from 'node:path'
import type { LogConfigInput } from '../../../lib/config/log-config.js'
import type { LogManager } from '../../../lib/manager/log-manager.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../../lib/manager/open-log-manager.js'
import { named } from '../../support/manager.js'
import { DrivenLog } from './driven-log.js'
import type { Known } from './law.js'
import { TracingMachine } from './tracing-machine.js'

/** What is known of each log, by name. */
export type AllKnown = Readonly<Record<string, Known>>

export interface Scenario {
  readonly name: string
  readonly opens: 'log' | 'manager'
  run(stage: Stage): Promise<void>
}

/** Two to four batches a segment, several sectors each. */
export const SMALL_SEGMENTS: LogConfigInput = {
  internalSegmentBytes: 2_000,
  indexIntervalBytes: 0,
  segmentIndexBytes: 1_200,
  fileDeleteDelayMs: 1_000,
}

export const LOG = 'orders-0'
export const OTHER = 'orders-1'

/** Where a scenario plays: a tree of its own, with the log directory `data` in it. */
export class Stage {
  readonly machine: TracingMachine<AllKnown>
  readonly directory: string
  readonly logs: Readonly<Record<string, DrivenLog>>

  constructor(root: string, names: readonly string[]) {
    this.directory = join(root, 'data')
    this.logs = Object.fromEntries(names.map((name) => [name, new DrivenLog()]))
    this.machine = new TracingMachine<AllKnown>(root, () =>
      Object.fromEntries(Object.entries(this.logs).map(([name, { known }]) => [name, known])),
    )
  }

  get log(): DrivenLog {
    return this.logs[LOG] as DrivenLog
  }

  get other(): DrivenLog {
    return this.logs[OTHER] as DrivenLog
  }

  open(config: LogConfigInput = {}, driven = this.log, name = LOG): Promise<void> {
    return driven.open(() =>
      openLogOn(this.machine, join(this.directory, name), { config: { ...SMALL_SEGMENTS, ...config } }),
    )
  }

  manager(config: LogConfigInput = {}): Promise<LogManager> {
    return openLogManagerOn(this.machine, {
      logDirs: [this.directory],
      config: { ...SMALL_SEGMENTS, ...config },
    })
  }
}

/** Time for whatever is under way in the background to end. */
async function settle({ machine }: Stage, ms: number): Promise<void> {
  machine.clock.advance(ms)
  for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  await machine.files.exists('/')
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create, append and flush',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ records: 3, valueBytes: 200 })
      stage.log.append({ valueBytes: 700 })
      await stage.log.durable()
      stage.log.append({ leaderEpoch: 3 })
      await stage.log.flush()
      stage.log.append({ batches: 2, leaderEpoch: 5 })
      await stage.log.flush()
      stage.log.append({ batches: 2, valueBytes: 100 })
    },
  },
  {
    name: 'roll',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ batches: 2, valueBytes: 600 })
      await stage.log.durable()
      stage.log.append({ batches: 3, valueBytes: 700 })
      await stage.log.durable()
      stage.log.append({ batches: 6, valueBytes: 500 })
      stage.log.log.roll()
      stage.log.append({ batches: 1 })
      await stage.log.flush()
      stage.log.append({ batches: 4, valueBytes: 500 })
    },
  },
  {
    name: 'close and open again',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ batches: 4, valueBytes: 600, leaderEpoch: 1 })
      await stage.log.close()
      await stage.open()
      stage.log.append({ batches: 2, valueBytes: 300, leaderEpoch: 2 })
      await stage.log.durable()
      stage.log.append()
      await stage.log.close()
      await stage.open()
      await stage.log.close()
      await stage.open()
      stage.log.append({ batches: 3, valueBytes: 400 })
    },
  },
  {
    name: 'truncate',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ batches: 10, valueBytes: 500, leaderEpoch: 1 })
      await stage.log.flush()
      stage.log.append({ batches: 2, valueBytes: 500, leaderEpoch: 2 })
      await stage.log.truncateTo(10)
      stage.log.append({ batches: 2, valueBytes: 300, leaderEpoch: 3 })
      await stage.log.durable()
      await stage.log.truncateTo(2)
      stage.log.append({ batches: 4, valueBytes: 450, leaderEpoch: 4 })
      await stage.log.flush()
      stage.log.append({ batches: 1 })
    },
  },
  {
    name: 'truncate below the start, and anew',
    opens: 'log',
    async run(stage) {
      await stage.open({ retentionBytes: 2_500 })
      stage.log.append({ batches: 9, valueBytes: 600 })
      await stage.log.durable()
      await stage.log.runRetention()
      const start = stage.log.known.startMin
      stage.log.append({ batches: 2, valueBytes: 100 })
      await stage.log.truncateTo(start - 1)
      stage.log.append({ batches: 3, valueBytes: 500 })
      await stage.log.durable()
    },
  },
  {
    name: 'delete records and retention',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ batches: 9, valueBytes: 600, leaderEpoch: 1 })
      await stage.log.flush()
      await stage.log.deleteRecordsBefore(2)
      stage.log.append({ batches: 2, valueBytes: 600, leaderEpoch: 2 })
      await stage.log.deleteRecordsBefore(7)
      await stage.log.runRetention()
      stage.log.append({ batches: 2, valueBytes: 100 })
      await settle(stage, 2_000)
      await stage.log.durable()
      await stage.log.deleteRecordsBefore(13)
      await stage.log.runRetention()
      stage.log.append({ batches: 1 })
      await stage.log.close()
    },
  },
  {
    name: 'retention takes everything',
    opens: 'log',
    async run(stage) {
      // Records are older than that from the beginning.
      await stage.open({ retentionMs: 500_000 })
      stage.log.append({ batches: 5, valueBytes: 600 })
      await stage.log.durable()
      await stage.log.runRetention()
      stage.log.append({ batches: 2, valueBytes: 600 })
      await stage.log.durable()
    },
  },
  {
    name: 'delete records that are not durable',
    opens: 'log',
    async run(stage) {
      await stage.open()
      stage.log.append({ batches: 7, valueBytes: 600 })
      await stage.log.deleteRecordsBefore(5)
      stage.log.append({ batches: 3, valueBytes: 600 })
      await stage.log.deleteRecordsBefore(6)
      await stage.log.durable()
    },
  },
  {
    name: 'settings',
    opens: 'log',
    async run(stage) {
      await stage.open({ retentionMs: 1_000_000_000 })
      stage.log.append({ batches: 2 })
      await stage.log.updateConfig({ retentionMs: 2_000_000_000 })
      stage.log.append({ batches: 2 })
      await stage.log.durable()
      await stage.log.updateConfig({ retentionMs: 3_000_000_000 })
    },
  },
  {
    name: 'a manager: create, checkpoint, delete, close',
    opens: 'manager',
    async run(stage) {
      const manager = await stage.manager()
      const create = (name: string) => () => manager.createLog(named(name))
      await stage.log.open(create(LOG))
      stage.log.append({ batches: 5, valueBytes: 600 })
      await stage.other.open(create(OTHER))
      await stage.log.flush()
      stage.other.append({ batches: 4, valueBytes: 300 })
      await manager.checkpoint()
      await stage.log.deleteRecordsBefore(3)
      stage.log.append({ batches: 3, valueBytes: 600 })
      await stage.log.durable()
      await stage.log.runRetention()
      await manager.checkpoint()
      await stage.other.delete(() => manager.deleteLog(named(OTHER)))
      await settle(stage, 2_000)
      await stage.other.open(create(OTHER))
      stage.other.append({ batches: 2 })
      await stage.other.durable()
      const closing = manager.close()
      await Promise.all([stage.log.close(() => closing), stage.other.close(() => closing)])
    },
  },
]
