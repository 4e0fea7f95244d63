/** No record goes before the one that takes its place is on disk. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { COMPACTED, CompactedModel, recordsOf } from '../support/compacted-log.js'
import { inlineCleaner } from '../support/inline-cleaner.js'
import { closeLater } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { basesOf } from '../support/segmented-log.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

const CLEANED = /\.cleaned$/

/** Flushes of the log's own files wait for `gate`; those of what is cleaned do not, and each flush of a path is told. */
function held(real: Backend, gate: () => Promise<void>, flushed: (path: string) => void): Backend {
  const openLane = () => {
    const lane = real.openLane()
    const [flush, flushPath] = [lane.flush.bind(lane), lane.flushPath.bind(lane)]
    lane.flush = async (files) => {
      if (files.some(({ path }) => !CLEANED.test(path))) await gate()
      await flush(files)
    }
    lane.flushPath = (path) => flushPath(path).then(() => flushed(path))
    return lane
  }
  return { ...real, openLane }
}

test('a cleaning swaps nothing in before all that it has read is on disk', async () => {
  let gate = Promise.resolve()
  let open: () => void = () => undefined
  const flushed: string[] = []
  const renamed: string[] = []
  const backend = held(
    swiftBackend(),
    () => gate,
    (path) => void flushed.push(path),
  )
  const files = {
    ...nodeFiles,
    rename(from: string, to: string) {
      if (CLEANED.test(from)) renamed.push(from)
      return nodeFiles.rename(from, to)
    },
  }
  const machine = { ...testMachine({ backend }), files }
  const openCleanerThread = () => inlineCleaner(machine)
  const path = join(memoryDir(), 'orders-0')
  const log = closeLater(await openLogOn({ ...machine, openCleanerThread }, path, { config: COMPACTED }))
  const model = new CompactedModel()
  model.fill(log, 2)
  await log.flush()
  gate = new Promise((resolve) => {
    open = resolve
  })
  flushed.length = 0
  model.fill(log, 6)
  const before = basesOf(log)
  const cleaning = log.clean()
  // Its first group is written, and what it makes of that is on disk.
  await until(() => flushed.includes(path), 'the first output')
  await turns(1_000)
  expect(renamed).toEqual([])
  expect(basesOf(log)).toEqual(before)
  open()
  expect(await cleaning).not.toBeNull()
  expect(renamed).not.toEqual([])
  model.expectIn(await recordsOf(log))
})
