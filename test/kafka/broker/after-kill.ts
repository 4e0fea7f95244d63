/**
 * The turns after a SIGKILL in the middle of producing: we read what is there,
 * and recover a copy of it; the broker recovers the same, and we go on.
 */
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../../lib/manager/open-log.js'
import { tempDir } from '../../support/temp-dir.js'
import { recoversAll, skipsRecovery } from './broker-output.js'
import { expectKept, expectOpened, expectRecords, expectServed, formsOf } from './comparisons.js'
import { tearEnd } from './damage.js'
import type { RecordForm } from './entries.js'
import type { KilledPartition } from './kafka-cluster.js'
import { appendToBrokersLog, openBrokersLog, using } from './our-writes.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, TIME } from './payloads.js'
import { BACKENDS, type World } from './world.js'

/** One producer for each partition of `killed`. */
const PRODUCERS = [{}, { 'compression.type': 'lz4' }, { 'enable.idempotence': 'false', acks: '1' }]
const PARTITIONS = PRODUCERS.map((_, partition) => partition)
/** The partition whose last write was cut short. */
const TORN = 2

export function turnsAfterKill(world: World): void {
  const { cluster, logs } = world
  let killed: readonly KilledPartition[] = []
  /** What we read of each partition of `killed`. */
  const kept: RecordForm[][] = []

  describe('Kafka is killed', () => {
    beforeAll(async () => {
      await world.startBroker()
    })

    it.each(logs)('$name is served', ({ model }) => expectServed(cluster, model))

    it('has not complained so far', () => {
      expect(world.complaints()).toEqual([])
    })

    it('while producers send', async () => {
      await cluster.createTopic('killed', PRODUCERS.length, { 'internal.segment.bytes': '65536' })
      await cluster.startSending('killed', PRODUCERS)
      killed = await cluster.killWhileSending(1_000)
      for (const { acknowledged, sent } of killed) expect(sent).toBeGreaterThan(acknowledged.length)
      await tearEnd(join(world.logDir, `killed-${TORN}`))
    })
  })

  describe.each(BACKENDS)('we open what the killed broker left, $backend', ({ backend }) => {
    it.each(logs)('$name is read whole', async ({ model }) => {
      const opening = openLog(join(world.logDir, model.name), { backend, readOnly: true })
      await using(opening, (log) => expectOpened(log, model))
    })

    it.each(PARTITIONS)(
      'killed-%i is read to its last whole batch, with all that was acknowledged',
      async (partition) => {
        const opening = openLog(join(world.logDir, `killed-${partition}`), { backend, readOnly: true })
        await using(opening, async (log) => {
          const seen = await formsOf(log)
          expectKept(killed[partition], seen)
          kept[partition] ??= seen
          expect(seen).toEqual(kept[partition])
        })
      },
    )

    it('all of it is recovered in a copy, to the same records, and appended to', async () => {
      const copy = join(tempDir(), basename(world.logDir))
      cpSync(world.logDir, copy, { recursive: true, preserveTimestamps: true })
      for (const name of readdirSync(copy)) if (name.startsWith('.lock')) rmSync(join(copy, name))
      expect(dirname(copy)).not.toBe(dirname(world.logDir))
      for (const partition of PARTITIONS) {
        await using(openLog(join(copy, `killed-${partition}`), { backend }), async (log) => {
          expect(log.recovery).toMatchObject({ wasClean: false, removedSegments: [] })
          expect(log.recovery?.cuts).toHaveLength(partition === TORN ? 1 : 0)
          expect(await formsOf(log)).toEqual(kept[partition])
          const { logEndOffset } = log.offsets
          expect(log.append([{ value: 'after' }]).baseOffset).toBe(logEndOffset)
        })
      }
    })
  })

  describe('Kafka recovers', () => {
    beforeAll(async () => {
      await world.startBroker()
    })

    it('and says so', () => {
      const lines = world.output()
      expect(recoversAll(lines)).toBe(true)
      expect(skipsRecovery(lines)).toBe(false)
      expect(world.complaints()).toContainEqual(expect.stringContaining(`killed-${TORN}`))
    })

    it.each(PARTITIONS)('killed-%i: it keeps what we read', async (partition) => {
      const model = new PartitionModel('killed', partition)
      expect(await cluster.read(model, 'read_uncommitted')).toEqual(kept[partition])
    })

    it.each(logs)('$name is served', ({ model }) => expectServed(cluster, model))

    it('and stops', () => cluster.stop())
  })

  describe.each(BACKENDS)('we open what Kafka recovered, $backend', ({ backend, partition }) => {
    it.each(logs.filter((log) => log.backend === backend))('$name', async ({ model, topic }) => {
      await using(openBrokersLog(world.logDir, model, backend, topic.settings), async (log) => {
        await expectOpened(log, model)
        await appendToBrokersLog(log, model, TIME + 9 * HOUR, topic.rolls)
        await expectOpened(log, model)
      })
    })

    it(`killed-${partition}`, async () => {
      const model = new PartitionModel('killed', partition)
      await using(openBrokersLog(world.logDir, model, backend, {}), async (log) => {
        const { logEndOffset } = log.offsets
        expect(await formsOf(log)).toEqual(kept[partition])
        model.skipTo(logEndOffset)
        await appendToBrokersLog(log, model, TIME + HOUR, true)
        expectRecords(model, 'read_uncommitted', await formsOf(log, logEndOffset))
      })
    })
  })
}
