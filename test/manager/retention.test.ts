/** Retention of a manager's logs: in the background and by hand, of ours and of somebody else's. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { numbered } from '../support/log.js'
import { START_MS } from '../support/machine.js'
import { closedDirectory, named } from '../support/manager.js'
import { watchedManager } from '../support/watched-manager.js'

describe('retention in the background', () => {
  test('known fault 119: looks anew every 5 minutes, also where nothing is appended any more', async () => {
    const { manager, pass } = await watchedManager({ config: { retentionMs: 600_000 } })
    const log = await manager.createLog(named('orders-0'))
    for (let n = 0; n < 4; n++) {
      log.append(numbered(1, n, START_MS + n * 300_000))
      log.roll()
    }
    const starts: [seconds: number, start: bigint][] = []
    for (let seconds = 30; seconds <= 2_130; seconds += 300) {
      await pass(seconds === 30 ? 30_000 : 300_000)
      starts.push([seconds, log.offsets.logStartOffset])
    }
    expect(starts).toEqual([
      [30, 0n],
      [330, 0n],
      [630, 1n],
      [930, 2n],
      [1_230, 3n],
      [1_530, 4n],
      [1_830, 4n],
      [2_130, 4n],
    ])
  })

  test('leaves logs to the cleaner that compact, and those that keep all', async () => {
    const { manager, pass } = await watchedManager({ config: { retentionMs: 1, retentionBytes: 0 } })
    const policies = {
      'a-0': ['delete'],
      'b-0': ['compact'],
      'c-0': ['compact', 'delete'],
      'd-0': [],
    } as const
    for (const [name, cleanupPolicy] of Object.entries(policies)) {
      const log = await manager.createLog(named(name), { cleanupPolicy })
      log.append(numbered(1))
      log.roll()
    }
    await pass(30_000)
    expect(manager.logs().map(({ name, segments }) => [name, segments.length])).toEqual([
      ['a-0', 1],
      ['b-0', 2],
      ['c-0', 2],
      ['d-0', 2],
    ])
  })

  test('of one log that fails takes that log offline, and the others have their turn', async () => {
    const { manager, machine, offline, of, pass } = await watchedManager({ config: { retentionBytes: 0 } })
    for (const name of ['a-0', 'b-0', 'c-0']) {
      const log = await manager.createLog(named(name))
      log.append(numbered(1))
      log.roll()
    }
    machine.fail(/^rename 0\.log/, 'EIO')
    await pass(30_000)
    expect(manager.logs().map(({ name, state }) => [name, state])).toEqual([
      ['a-0', 'offline'],
      ['b-0', 'open'],
      ['c-0', 'open'],
    ])
    expect(offline).toEqual([['ERR_IO', 'a-0']])
    expect(of('error').join('\n')).toContain('a-0 is offline')
    for (const log of manager.logs().slice(1)) expect(log.segments).toHaveLength(1)
    // What is offline is left alone from then on.
    const errors = of('error').length
    await pass(300_000)
    expect(of('error')).toHaveLength(errors)
  })

  test('asked for by hand tells what it took, log by log', async () => {
    const { manager } = await watchedManager({ config: { retentionBytes: 0 } })
    for (const name of ['a-0', 'b-0']) await manager.createLog(named(name))
    const log = manager.getLog(named('b-0')) ?? expect.fail()
    log.append(numbered(2))
    const taken = await manager.runRetention()
    expect([...taken.keys()]).toEqual(['b-0'])
    expect(taken.get('b-0')).toMatchObject({
      logStartOffset: 2n,
      deletions: [{ cause: { rule: 'retention.bytes' } }],
    })
    expect((await manager.runRetention()).size).toBe(0)
  })
})

describe('logs that somebody else made', () => {
  /** A directory with one of ours and one that has no settings, both with old records only. */
  async function mixed(): Promise<string> {
    const directory = await closedDirectory('ours-0', 'theirs-0')
    rmSync(join(directory, 'theirs-0', 'partition-log.properties'))
    return directory
  }

  test('lose nothing by a default, in the background or by hand', async () => {
    const { manager, pass } = await watchedManager({ logDirs: [await mixed()] })
    const before = manager.logs().map(({ name, offsets }) => [name, offsets.logStartOffset])
    expect(before).toEqual([
      ['ours-0', 0n],
      ['theirs-0', 0n],
    ])
    await pass(30_000)
    await manager.runRetention()
    await manager.getLog(named('theirs-0'))?.runRetention()
    expect(manager.logs().map(({ name, offsets }) => [name, offsets.logStartOffset])).toEqual([
      ['ours-0', 3n],
      ['theirs-0', 0n],
    ])
  })

  test.each([{ segmentMs: 1_000 }, { fileDeleteDelayMs: 0, flushMs: 1 }])(
    'lose nothing by settings of other things: %j',
    async (config) => {
      const { manager, pass } = await watchedManager({ logDirs: [await mixed()], config })
      await pass(30_000)
      expect(manager.getLog(named('theirs-0'))?.offsets.logStartOffset).toBe(0n)
    },
  )

  test.each([{ retentionMs: 1_000 }, { retentionBytes: 0 }, { cleanupPolicy: ['delete'] as const }])(
    'are retained by settings of deletion that the host gave: %j',
    async (config) => {
      const { manager, pass } = await watchedManager({ logDirs: [await mixed()], config })
      await pass(30_000)
      expect(manager.getLog(named('theirs-0'))?.offsets.logStartOffset).toBe(3n)
    },
  )

  test('are appended to and closed without being made ours', async () => {
    const directory = await mixed()
    const { manager } = await watchedManager({ logDirs: [directory] })
    await manager.getLog(named('theirs-0'))?.append(numbered(1, 3)).durable()
    await manager.close()
    expect(existsSync(join(directory, 'theirs-0', 'partition-log.properties'))).toBe(false)
  })
})
