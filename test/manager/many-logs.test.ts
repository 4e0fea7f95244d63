/** Hundreds of logs of a manager after a clean close, in counts: what opening reads, what closing writes. */
import { copyFileSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  CLEANER_FILE,
  formatOffsetCheckpoint,
  HIGH_WATERMARK_FILE,
  LOG_START_FILE,
  RECOVERY_POINT_FILE,
} from '../../lib/checkpoint/offset-checkpoint.js'
import { formatPartitionMetadata, PARTITION_METADATA_FILE } from '../../lib/checkpoint/partition-metadata.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import type { Machine } from '../../lib/manager/machine.js'
import type { LogManagerOptions } from '../../lib/manager/manager-options.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { DEFAULT_OPEN_SEGMENTS, OpenSegments } from '../../lib/segment/open-segments.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { numbered } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

const LOGS = 300
const SEGMENTS = 10
const TOPIC = 'many'
/** Of the last of the ten segments, a record each. */
const ACTIVE = '9'
/** More than are opened at once. */
const FEW = 24
const CHECKPOINTS = [RECOVERY_POINT_FILE, LOG_START_FILE, HIGH_WATERMARK_FILE]

const managers: LogManager[] = []
let directory: string

beforeAll(async () => {
  directory = await makeMany()
}, 60_000)

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close()
})

/** One log is written, the others are its likeness; all have their lines in the checkpoints on return. */
async function makeMany(): Promise<string> {
  const path = join(tempDir(), 'logs')
  const config = { indexIntervalBytes: 0 }
  const first = await openLogManagerOn(testMachine(), { logDirs: [path], config })
  const log = await first.createLog({ topic: TOPIC, partition: 0 })
  for (let n = 0; n < SEGMENTS; n++) {
    if (n > 0) log.roll()
    log.append(numbered(1, n, 1_000 + n))
  }
  await first.close()
  for (let n = 1; n < LOGS; n++) likeness(log.path, join(path, `${TOPIC}-${n}`), n)
  const names = Array.from({ length: LOGS }, (_, n) => `${TOPIC}-${n}`)
  const ends = formatOffsetCheckpoint(new Map(names.map((name) => [name, log.offsets.logEndOffset])))
  for (const file of [RECOVERY_POINT_FILE, HIGH_WATERMARK_FILE]) writeFileSync(join(path, file), ends)
  return path
}

/** Files of sealed segments, which nothing changes, are shared: ten thousand copies would take their time. */
function likeness(from: string, to: string, n: number): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const isSealed = /^\d{20}\./.test(name) && BigInt(name.slice(0, 20)) < BigInt(ACTIVE)
    const place = isSealed ? linkSync : copyFileSync
    place(join(from, name), join(to, name))
  }
  const topicId = Buffer.alloc(16, n + 1).toString('base64url')
  writeFileSync(join(to, PARTITION_METADATA_FILE), formatPartitionMetadata(topicId))
}

interface Opening {
  /** Bound of the open segments. */
  readonly most?: number
  readonly onProgress?: LogManagerOptions['onProgress']
}

async function opened({ most = DEFAULT_OPEN_SEGMENTS, onProgress }: Opening = {}) {
  const recording = new RecordingMachine(directory, { openSegments: new OpenSegments(most) })
  const reads: string[] = []
  const read: Machine['files']['read'] = (path, maxBytes) => {
    reads.push(basename(path))
    return recording.files.read(path, maxBytes)
  }
  const { clock, entropy, backend, openSegments, files } = recording
  const machine: Machine = {
    clock,
    entropy,
    backend,
    files: { ...files, read },
    ...(openSegments && { openSegments }),
  }
  const progress = onProgress === undefined ? {} : { onProgress }
  const manager = await openLogManagerOn(machine, { logDirs: [directory], ...progress })
  managers.push(manager)
  expect(manager.problems).toEqual([])
  expect(manager.logs().length).toBe(LOGS)
  return { manager, recording, reads }
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** How often each checkpoint was written. */
function checkpointWrites(events: readonly string[]): number[] {
  return CHECKPOINTS.map((name) => events.filter((event) => event === `write ${name}.tmp`).length)
}

const MARKER = '.kafka_cleanshutdown'
const MARKER_PUT = [
  `write ${MARKER}.tmp`,
  `flushPath ${MARKER}.tmp`,
  `rename ${MARKER}.tmp`,
  'flushPath above',
]

/** The newest of each log's snapshots of producers. */
const LAST_SNAPSHOT = '00000000000000000010.snapshot'

describe.each([FEW, DEFAULT_OPEN_SEGMENTS])(
  'hundreds of logs that nobody changes, %i open segments',
  (most) => {
    test('are opened by their active segments, and closed without an fsync', async () => {
      const { manager, recording, reads } = await opened({ most })
      expect(countOf(recording.opened())).toEqual({
        [`${ACTIVE}.log`]: LOGS,
        [`${ACTIVE}.index`]: LOGS,
        [`${ACTIVE}.timeindex`]: LOGS,
      })
      expect(countOf(reads)).toEqual({
        [MARKER]: 1,
        [CLEANER_FILE]: 1,
        ...Object.fromEntries(CHECKPOINTS.map((name) => [name, 1])),
        'partition-log.properties': LOGS,
        'leader-epoch-checkpoint': LOGS,
        [LAST_SNAPSHOT]: LOGS,
      })
      expect(recording.taken()).toEqual(['makeDirectory above', `remove ${MARKER}`, 'flushPath above'])
      await manager.close()
      expect(recording.taken()).toEqual(MARKER_PUT)
      expect(recording.opened()).toEqual([])
    })
  },
)

test.runIf(canSeeDescriptors)(
  'opening hundreds of logs keeps within the bound of open segments',
  async () => {
    const held: { logFiles: number; indexes: number }[] = []
    const note = () => {
      const paths = openBelow(directory).filter((path) => /\.(log|index|timeindex)$/.test(path))
      const logFiles = paths.filter((path) => path.endsWith('.log')).length
      held.push({ logFiles, indexes: paths.length - logFiles })
    }
    const { manager } = await opened({ most: FEW, onProgress: ({ done }) => done % 20 === 0 && note() })
    note()
    expect(held.length).toBe(LOGS / 20 + 1)
    expect(held.at(-1)?.logFiles).toBe(FEW)
    expect(Math.max(...held.map(({ logFiles }) => logFiles))).toBe(FEW)
    // A descriptor of each file, and a mapping of each index.
    expect(Math.max(...held.map(({ indexes }) => indexes))).toBeLessThanOrEqual(FEW * 4)
    await manager.close()
    expect(openBelow(directory)).toEqual([])
  },
)

describe('closing hundreds of logs', () => {
  test('flushes the one that was changed, and writes the checkpoints that change once', async () => {
    const { manager, recording } = await opened()
    manager.getLog({ topic: TOPIC, partition: 7 })?.append(numbered(1, SEGMENTS, 2_000))
    recording.taken()
    await manager.close()
    const events = recording.taken()
    expect(checkpointWrites(events)).toEqual([1, 0, 1])
    const flushed = events.filter((event) => event.startsWith('flush '))
    expect(new Set(flushed.flatMap((event) => event.split(' ').slice(1)))).toEqual(
      new Set([`${ACTIVE}.log`, `${ACTIVE}.index`, `${ACTIVE}.timeindex`]),
    )
    expect(flushed.length).toBeLessThanOrEqual(2)
    expect(events.filter((event) => event === `flushPath ${TOPIC}-7`)).toHaveLength(1)
  })

  test('that all were changed writes each checkpoint a handful of times', async () => {
    const { manager, recording } = await opened()
    const ends = new Map<string, bigint>()
    for (const log of manager.logs()) {
      log.append(numbered(1, SEGMENTS + 1, 3_000))
      ends.set(log.name, log.offsets.logEndOffset)
    }
    recording.taken()
    await manager.close()
    const [recoveryPoint, logStart, highWatermark] = checkpointWrites(recording.taken())
    expect(logStart).toBe(0)
    expect(recoveryPoint).toBeLessThanOrEqual(8)
    expect(highWatermark).toBeLessThanOrEqual(8)
    const { manager: again } = await opened()
    expect(again.logs().map(({ name, offsets }) => [name, offsets.logEndOffset])).toEqual([...ends])
  })
})
