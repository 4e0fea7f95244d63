/** Where the stories play, and what each of them is. */
import { join } from 'node:path'
import type { LogConfigInput } from '../../../lib/config/log-config.js'
import type { LogManager } from '../../../lib/manager/log-manager.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../../lib/manager/open-log-manager.js'
import { DrivenLog } from './driven-log.js'
import type { Known } from './law.js'
import { TracingMachine } from './tracing-machine.js'

/** What is known of each log, by name. */
export type AllKnown = Readonly<Record<string, Known>>

export interface Scenario {
  readonly name: string
  readonly opens: 'log' | 'manager'
  /** Many steps, and recoveries that take long: a third of the stops are tried, others with each seed. */
  readonly isLong?: boolean
  run(stage: Stage): Promise<void>
}

/** Two to four batches a segment, several sectors each. */
export const SMALL_SEGMENTS: LogConfigInput = {
  internalSegmentBytes: 2_000,
  indexIntervalBytes: 0,
  segmentIndexBytes: 1_200,
  fileDeleteDelayMs: 1_000,
}

export const LOG = 'orders-0'
export const OTHER = 'orders-1'

/** Where a scenario plays: a tree of its own, with the log directory `data` in it. */
export class Stage {
  readonly machine: TracingMachine<AllKnown>
  readonly directory: string
  readonly logs: Readonly<Record<string, DrivenLog>>

  constructor(root: string, names: readonly string[]) {
    this.directory = join(root, 'data')
    this.logs = Object.fromEntries(names.map((name) => [name, new DrivenLog()]))
    this.machine = new TracingMachine<AllKnown>(root, () =>
      Object.fromEntries(Object.entries(this.logs).map(([name, { known }]) => [name, known])),
    )
  }

  get log(): DrivenLog {
    return this.logs[LOG] as DrivenLog
  }

  get other(): DrivenLog {
    return this.logs[OTHER] as DrivenLog
  }

  open(config: LogConfigInput = {}, driven = this.log, name = LOG): Promise<void> {
    return driven.open(() =>
      openLogOn(this.machine, join(this.directory, name), { config: { ...SMALL_SEGMENTS, ...config } }),
    )
  }

  manager(config: LogConfigInput = {}): Promise<LogManager> {
    return openLogManagerOn(this.machine, {
      logDirs: [this.directory],
      config: { ...SMALL_SEGMENTS, ...config },
    })
  }
}

/** Time for whatever is under way in the background to end. */
export async function settle({ machine }: Stage, ms: number): Promise<void> {
  machine.clock.advance(ms)
  for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  await machine.files.exists('/')
}
