/** A log whose files are closed whenever a test wants it, because another needs the room. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { closeLater, numbered } from './log.js'
import { RecordingMachine } from './recording-machine.js'
import { tempDir } from './temp-dir.js'

const FIRST = '00000000000000000000'
/** Every batch but the first gets entries. */
export const CONFIG: LogConfigInput = { indexIntervalBytes: 0, segmentIndexBytes: 240 }

export interface Crowded {
  readonly machine: RecordingMachine
  readonly log: PartitionLog
  readonly offline: string[]
  /** Has the files of `log` closed. */
  crowdOut(): void
}

/** A log beside another, with room for the files of one segment. */
export async function crowded(config: LogConfigInput = {}, above = tempDir()): Promise<Crowded> {
  const machine = new RecordingMachine(above, { openSegments: new OpenSegments(1) })
  const offline: string[] = []
  const onOffline = (error: { code: string; path?: string }) =>
    void offline.push(`${error.code} ${machine.name(error.path ?? '')}`)
  const other = closeLater(await openLogOn(machine, join(above, 'other-0')))
  other.append([{ value: 'other' }])
  // Events name it by another base offset than the log's own.
  other.roll()
  const options = { config: { ...CONFIG, ...config }, onOffline }
  const log = closeLater(await openLogOn(machine, join(above, 'orders-0'), options))
  return { machine, log, offline, crowdOut: () => void other.append([{ value: 'other' }]) }
}

/** One batch a record, the values and times going on. */
export function appendEach(log: PartitionLog, count: number): void {
  const from = Number(log.offsets.logEndOffset)
  for (let n = from; n < from + count; n++) log.append(numbered(1, n, 1_000 + n))
}

/** Of the first segment. */
export const pathOf = (log: PartitionLog, kind: string) => join(log.path, `${FIRST}.${kind}`)
/** On disk: `.log`, `.index`, `.timeindex` of the first segment. */
export const lengths = (log: PartitionLog) =>
  ['log', 'index', 'timeindex'].map((kind) => statSync(pathOf(log, kind)).size)
export const allOf = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`)
/** What failed is told to the log when the turn has ended. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))
