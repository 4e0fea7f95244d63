/**
 * The protocols that change a disk, each as a short story about one or two
 * logs. Every fsync of the code is asked for in at least one of them.
 */
import { named } from '../../support/manager.js'
import { CLEANING_SCENARIOS } from './cleaning-scenarios.js'
import { LOG, OTHER, type Scenario, settle } from './stage.js'

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
  ...CLEANING_SCENARIOS,
]
