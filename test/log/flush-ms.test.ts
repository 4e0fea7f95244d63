/** `flush.ms`: an append is on disk at the latest so long after it was made. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { closeLater, numbered } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

async function open(config: LogConfigInput) {
  const machine = testMachine()
  const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0'), { config }))
  return { log, clock: machine.clock }
}

/** What was asked to be flushed by now is on disk. */
async function settled(log: Awaited<ReturnType<typeof open>>['log'], durableOffset: bigint) {
  await expect.poll(() => log.offsets.durableOffset, { timeout: 5_000 }).toBe(durableOffset)
}

test('flushes what was appended once the time has passed, and not before', async () => {
  const { log, clock } = await open({ flushMs: 1_000 })
  log.append(numbered(2))
  clock.advance(999)
  expect(log.offsets.durableOffset).toBe(0n)
  log.append(numbered(1, 2))
  clock.advance(1)
  await settled(log, 3n)
  log.append(numbered(1, 3))
  clock.advance(1_000)
  await settled(log, 4n)
})

test('leaves flushing to others where it is not set', async () => {
  const { log, clock } = await open({})
  log.append(numbered(2))
  clock.advance(1_000_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(log.offsets.durableOffset).toBe(0n)
})
