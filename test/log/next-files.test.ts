import { readdirSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import type { Backend, Lane, SpareFiles } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { systemClock } from '../../lib/base/clock.js'
import { systemEntropy } from '../../lib/base/entropy.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { backendUnderTest } from '../support/backend.js'
import { closeLater, numbered, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const SMALL = { internalSegmentBytes: 300 }

/** A backend whose lanes give spare files that are only counted. */
function counting(openLimit = 500) {
  const real = backendUnderTest()
  const made: { isClosed: boolean }[] = []
  const taken: (SpareFiles | undefined)[] = []
  const openLane = (): Lane => {
    const lane = real.openLane()
    lane.makeSpare = async () => {
      const spare = { isClosed: false, close: () => (spare.isClosed = true) }
      made.push(spare)
      return spare as SpareFiles & { isClosed: boolean }
    }
    return lane
  }
  const openLogFile: Backend['openLogFile'] = (path, options) => {
    if (options.mode === 'create') taken.push(options.spare)
    return real.openLogFile(path, options)
  }
  const backend: Backend = {
    name: real.name,
    crc32c: real.crc32c.bind(real),
    records: real.records,
    openIndexFile: real.openIndexFile.bind(real),
    lockDirectory: real.lockDirectory.bind(real),
    openLogFile,
    openLane,
  }
  const machine = {
    ...{ files: nodeFiles, clock: systemClock, entropy: systemEntropy, backend },
    openSegments: new OpenSegments(openLimit),
  }
  return { machine, made, taken }
}

const fill = (log: { append(records: ReturnType<typeof numbered>): unknown }, from = 0) => {
  for (let n = 0; n < 5; n++) log.append(numbered(1, from + n))
}

describe('the files of the next segment', () => {
  test('are made once a segment was full, and taken by the next roll', async () => {
    const { machine, made, taken } = counting()
    const log = closeLater(await openLogOn(machine, `${tempDir()}/orders-0`, { config: SMALL }))
    fill(log)
    expect(made).toHaveLength(0)
    await vi.waitFor(() => expect(made).toHaveLength(1))
    expect(made).toMatchObject([{ isClosed: false }])
    fill(log, 5)
    expect(taken.filter((spare) => spare !== undefined)).toEqual([made[0]])
    expect(made[0]?.isClosed).toBe(true)
    expect(await values(log.read())).toHaveLength(10)
  })

  test('are let go of by a close, and by a change of their length', async () => {
    const { machine, made, taken } = counting()
    const log = await openLogOn(machine, `${tempDir()}/orders-0`, { config: SMALL })
    fill(log)
    await vi.waitFor(() => expect(made).toHaveLength(1))
    await log.updateConfig({ segmentIndexBytes: 1_000 })
    fill(log, 5)
    expect(taken.every((spare) => spare === undefined)).toBe(true)
    expect(made[0]?.isClosed).toBe(true)
    await vi.waitFor(() => expect(made).toHaveLength(2))
    await log.close()
    expect(made[1]?.isClosed).toBe(true)
  })

  test('give their place to segments that are read', async () => {
    const { machine, made } = counting(3)
    const log = closeLater(await openLogOn(machine, `${tempDir()}/orders-0`, { config: SMALL }))
    fill(log)
    fill(log, 5)
    await vi.waitFor(() => expect(made).toHaveLength(1))
    expect(await values(log.read())).toHaveLength(10)
    expect(made[0]?.isClosed).toBe(true)
    fill(log, 10)
    expect(await values(log.read())).toHaveLength(15)
  })

  test('leave nothing in the directory', async () => {
    const path = `${tempDir()}/orders-0`
    const { machine } = counting()
    const log = await openLogOn({ ...machine, backend: backendUnderTest() }, path, { config: SMALL })
    for (let n = 0; n < 4; n++) {
      fill(log, n * 5)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const bases = log.segments.length
    await log.close()
    expect(readdirSync(path).filter((name) => /\.(log|index|timeindex)$/.test(name))).toHaveLength(3 * bases)
  })
})
