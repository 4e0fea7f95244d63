/**
 * A turn in which our engine deletes from a log of the broker, by its size and
 * below its start, and opens all logs of the directory without any loss.
 */
import { describe, expect, it } from 'vitest'
import { openLogManager } from '../../../lib/manager/open-log-manager.js'
import { treeOf } from '../../support/tree.js'
import { expectOpened } from './comparisons.js'
import { openBrokersLog, using } from './our-writes.js'
import { BACKENDS, type World } from './world.js'

/** Less than the topic holds, and more than one segment. */
const RETENTION_BYTES = '20000'

export function turnsOfRetention(world: World): void {
  describe.each(BACKENDS)('we take from a log of Kafka what is due, $backend', ({ backend }) => {
    const mine = world.logs.filter((log) => log.topic.name === 'segments' && log.backend === backend)

    it.each(mine)('$name loses segments', async ({ model, topic }) => {
      const settings = { ...topic.settings, 'retention.bytes': RETENTION_BYTES, 'retention.ms': '-1' }
      await using(openBrokersLog(world.logDir, model, backend, settings), async (log) => {
        const rules = new Set<string>()
        const check = async () => {
          for (const { cause } of (await log.runRetention()).deletions) rules.add(cause.rule)
        }
        await check()
        // In the second segment that is left, in the middle of a batch.
        await log.deleteRecordsBefore((log.segments[1]?.baseOffset ?? 0n) + 1n)
        await check()
        expect(rules).toEqual(new Set(['retention.bytes', 'log start offset']))
        model.deletedBefore(log.offsets.logStartOffset)
        model.segmentsGoneBelow(log.segments[0]?.baseOffset ?? 0n)
        await expectOpened(log, model)
      })
    })

    it('all logs of the directory, opened at once, lose nothing', async () => {
      const records = () => JSON.stringify(treeOf(world.logDir, (path) => !path.endsWith('.log')))
      const before = records()
      const manager = await openLogManager({ logDirs: [world.logDir], backend })
      try {
        expect(manager.problems).toEqual([])
        expect([...(await manager.runRetention()).keys()]).toEqual([])
        expect(manager.logs().map(({ name }) => name)).toEqual(
          expect.arrayContaining(world.logs.map(({ name }) => name)),
        )
      } finally {
        await manager.close()
      }
      expect(records() === before).toBe(true)
    })
  })
}
