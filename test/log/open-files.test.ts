import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../lib/backend/files.js'
import { systemClock } from '../../lib/base/clock.js'
import { systemEntropy } from '../../lib/base/entropy.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { backendUnderTest } from '../support/backend.js'
import { closeLater, numbered, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const LIMIT = 12
const FILES_A_SEGMENT = 3
/** The active segment, a flush under way, the directory's lock, what a lane holds. */
const OTHERS = 60

test.runIf(process.platform === 'linux')(
  'a log with many segments keeps a bounded number of files open',
  async () => {
    const machine = {
      files: nodeFiles,
      clock: systemClock,
      entropy: systemEntropy,
      backend: backendUnderTest(),
      openSegments: new OpenSegments(LIMIT),
    }
    const openBefore = readdirSync('/proc/self/fd').length
    const config = { internalSegmentBytes: 100, segmentIndexBytes: 24 }
    const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0'), { config }))
    const count = 150
    for (let n = 0; n < count; n++) log.append(numbered(1, n))
    expect(log.segments.length).toBeGreaterThan(LIMIT * 5)
    expect(await values(log.read())).toHaveLength(count)
    await log.flush()
    expect(await log.offsetForTimestamp(1_000)).toEqual({ offset: 0n, timestamp: 1_000n })
    const open = readdirSync('/proc/self/fd').length - openBefore
    expect(open).toBeLessThanOrEqual(LIMIT * FILES_A_SEGMENT + OTHERS)
  },
)
