/** Stories of compacted logs: what a cleaning changes on disk, and what comes between and after cleanings. */
import type { LogConfigInput } from '../../../lib/config/log-config.js'
import { named } from '../../support/manager.js'
import { LOG, OTHER, type Scenario, settle } from './stage.js'

/** Two or three segments are cleaned into one. */
const COMPACTED: LogConfigInput = { cleanupPolicy: ['compact'], deleteRetentionMs: 1_000 }

const STORIES: readonly Scenario[] = [
  {
    name: 'clean once',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      stage.log.append({ batches: 8, valueBytes: 500, keys: ['k1', 'k2', 'k3'], leaderEpoch: 1 })
      await stage.log.flush()
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 1, keys: ['k2'] })
      await stage.log.durable()
      await settle(stage, 2_000)
      await stage.log.close()
    },
  },
  {
    name: 'clean what is not durable yet',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      stage.log.append({ batches: 2, valueBytes: 300, keys: ['k1', 'k2'] })
      await stage.log.durable()
      stage.log.append({ batches: 9, records: 2, valueBytes: 300, keys: ['k1', 'k2', 'k3', 'k4'] })
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 2, valueBytes: 300, keys: ['k1'] })
    },
  },
  {
    name: 'clean several groups',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']
      stage.log.append({ batches: 12, valueBytes: 600, keys })
      stage.log.append({ batches: 2, valueBytes: 100, keys: ['k1', 'k9'] })
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 1, keys: ['k3'] })
      await stage.log.durable()
    },
  },
  {
    name: 'clean twice, tombstones over their time',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      stage.log.append({ batches: 4, valueBytes: 500, keys: ['k1', 'k2', 'k3'] })
      stage.log.append({ tombstones: true, keys: ['k2'] })
      await stage.log.durable()
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 3, valueBytes: 400, keys: ['k1', 'k4'] })
      await settle(stage, 5_000)
      await stage.log.rollAndClean({ drops: true })
      stage.log.append({ keys: ['k4'] })
      await stage.log.close()
      await stage.open(COMPACTED)
      stage.log.append({ batches: 2, valueBytes: 400, keys: ['k1'] })
      await stage.log.rollAndClean()
    },
  },
  {
    name: 'clean into several segments',
    opens: 'log',
    async run(stage) {
      stage.machine.maxSegmentBytes = 700
      await stage.open(COMPACTED)
      stage.log.append({ batches: 5, valueBytes: 300, keys: ['k1', 'k2', 'k3', 'k4', 'k5'] })
      stage.log.append({ batches: 3, valueBytes: 20, keys: ['k1', 'k2', 'k2'] })
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.machine.maxSegmentBytes = undefined
      stage.log.append({ batches: 1, keys: ['k2'] })
      await stage.log.durable()
    },
  },
  {
    name: 'clean and truncate',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      stage.log.append({ batches: 8, valueBytes: 500, keys: ['k1', 'k2', 'k3'], leaderEpoch: 1 })
      await stage.log.flush()
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 2, valueBytes: 300, keys: ['k4', 'k1'], leaderEpoch: 2 })
      await stage.log.truncateTo(6)
      stage.log.append({ batches: 4, valueBytes: 450, keys: ['k2', 'k5'], leaderEpoch: 3 })
      await stage.log.flush()
      await stage.log.rollAndClean()
      stage.log.append({ keys: ['k1'] })
    },
  },
  {
    name: 'clean and delete',
    opens: 'log',
    async run(stage) {
      await stage.open({ cleanupPolicy: ['compact', 'delete'], retentionBytes: 2_500 })
      stage.log.append({ batches: 6, valueBytes: 600, keys: ['k1', 'k2', 'k3', 'k4', 'k5'] })
      await stage.log.durable()
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      stage.log.append({ batches: 6, valueBytes: 600, keys: ['k1', 'k6', 'k7'] })
      await stage.log.runRetention()
      await settle(stage, 2_000)
      await stage.log.rollAndClean()
      await stage.log.deleteRecordsBefore(9)
      await stage.log.runRetention()
      stage.log.append({ keys: ['k7'] })
      await stage.log.durable()
      await stage.log.rollAndClean()
    },
  },
  {
    name: 'producers, transactions and their markers through a cleaning',
    opens: 'log',
    async run(stage) {
      await stage.open(COMPACTED)
      const { log } = stage
      log.append({ batches: 2, valueBytes: 400, keys: ['k1', 'k2'] })
      log.begin()
      log.append({ batches: 2, valueBytes: 400, keys: ['k1', 'k3'] })
      log.abort()
      log.begin()
      log.append({ batches: 3, valueBytes: 400, keys: ['k2', 'k4'] })
      log.commit()
      await log.durable()
      log.begin()
      log.append({ batches: 4, valueBytes: 400, keys: ['k2', 'k5'] })
      log.abort()
      log.append({ batches: 2, valueBytes: 300, keys: ['k4', 'k6'] })
      stage.machine.beginsHere()
      await log.rollAndClean()
      log.begin()
      log.append({ batches: 2, valueBytes: 300, keys: ['k1', 'k7'] })
      log.commit()
      await settle(stage, 5_000)
      await log.rollAndClean()
      log.begin()
      log.append({ keys: ['k8'] })
      await log.durable()
    },
  },
  {
    name: 'producers without a cleaning: rolls, a truncation, a deletion',
    opens: 'log',
    async run(stage) {
      await stage.open()
      const { log } = stage
      stage.machine.beginsHere()
      log.begin()
      log.append({ batches: 3, valueBytes: 500 })
      log.abort()
      log.begin()
      log.append({ batches: 4, valueBytes: 500 })
      log.commit()
      await log.flush()
      log.begin()
      log.append({ batches: 4, valueBytes: 500 })
      log.abort()
      await log.durable()
      await log.deleteRecordsBefore(5)
      await log.runRetention()
      log.append({ batches: 2, valueBytes: 500 })
      await settle(stage, 2_000)
      await log.close()
    },
  },
  {
    name: 'a manager cleans and deletes logs',
    opens: 'manager',
    async run(stage) {
      const manager = await stage.manager(COMPACTED)
      const create = (name: string) => () => manager.createLog(named(name))
      await stage.log.open(create(LOG))
      await stage.other.open(create(OTHER))
      stage.log.append({ batches: 7, valueBytes: 500, keys: ['k1', 'k2'] })
      stage.other.append({ batches: 4, valueBytes: 500, keys: ['k1'] })
      await stage.log.durable()
      stage.machine.beginsHere()
      await stage.log.rollAndClean()
      await stage.other.rollAndClean()
      await stage.other.delete(() => manager.deleteLog(named(OTHER)))
      await stage.other.open(create(OTHER))
      stage.other.append({ batches: 4, valueBytes: 500, keys: ['k2', 'k3'] })
      await stage.other.durable()
      await stage.other.rollAndClean()
      await manager.close()
    },
  },
]

export const CLEANING_SCENARIOS: readonly Scenario[] = STORIES.map((story) => ({ ...story, isLong: true }))
