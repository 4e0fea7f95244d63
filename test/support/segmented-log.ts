/** Logs of several small segments, for tests of what happens to whole segments. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { Machine } from '../../lib/manager/machine.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { FailingMachine } from './failing-machine.js'
import { closeLater, numbered } from './log.js'
import { START_MS } from './machine.js'
import type { Told } from './manager.js'
import { type Telling, telling } from './telling.js'
import { memoryDir } from './temp-dir.js'

/** The time of the first record: a little while ago. */
export const FIRST_MS = START_MS - 100

/** Takes two batches of one record to a segment; 72 bytes a batch. */
export const TWO_BATCHES: LogConfigInput = {
  internalSegmentBytes: 150,
  indexIntervalBytes: 0,
  segmentIndexBytes: 1_200,
}

export interface SegmentedLog<M extends Machine> extends Telling {
  readonly log: PartitionLog
  readonly machine: M
  /** The directory above. */
  readonly directory: string
  readonly offline: Told[]
}

export interface SegmentedOptions extends Omit<OpenLogOptions, 'onOffline' | 'logger'> {
  /** Default 4, with two records each; 0: an empty log. */
  readonly segments?: number
  readonly directory?: string
}

/** Opens a log on `machine` and fills it: record `n` has the time `FIRST_MS + n`. Closed when the test ends. */
export async function segmentedLogOn<M extends Machine>(
  machine: M,
  options: SegmentedOptions = {},
): Promise<SegmentedLog<M>> {
  const { segments = 4, directory = memoryDir(), config, ...rest } = options
  const told = telling()
  const offline: Told[] = []
  const log = await openLogOn(machine, join(directory, 'orders-0'), {
    ...rest,
    config: { ...TWO_BATCHES, ...config },
    logger: told.logger,
    onOffline: (error, { log }) => void offline.push([error.code, log?.name]),
  })
  closeLater(log)
  for (let n = 0; n < segments * 2; n++) log.append(numbered(1, n, FIRST_MS + n))
  return { log, machine, directory, offline, ...told }
}

export function segmentedLog(options?: SegmentedOptions): Promise<SegmentedLog<FailingMachine>> {
  return segmentedLogOn(new FailingMachine(), options)
}

/** A log's files of segments, their numbers short: `4.log`, `0.index.deleted`. */
export function segmentFilesOf(log: PartitionLog): string[] {
  return readdirSync(log.path)
    .filter((name) => /^\d{20}/.test(name))
    .map((name) => name.replace(/^\d{20}/, (digits) => String(BigInt(digits))))
    .sort()
}

/** Base offsets of a log's segments. */
export function basesOf(log: PartitionLog): number[] {
  return log.segments.map(({ baseOffset }) => Number(baseOffset))
}
