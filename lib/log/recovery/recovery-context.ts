/**
 * What all steps of one recovery share: its input, its report, and how it
 * reads and speaks.
 */

import { join } from 'node:path'
import type { BatchColumns, LogFile } from '../../backend/contract.js'
import type { LogConfig } from '../../config/settings.js'
import type { CheckpointedOffsets } from '../checkpointed-offsets.js'
import type { LeaderEpochs } from '../leader-epochs.js'
import type { LogEnvironment } from '../log-environment.js'
import { type Changes, NoChanges } from './changes.js'
import type { RecoveryOptions } from './recovery-options.js'
import type { ScanCause } from './recovery-plan.js'
import type { ReportBuilder } from './report.js'
import { type SegmentScan, scanSegment } from './scan-segment.js'

export interface RecoveryInput {
  readonly env: LogEnvironment
  readonly config: LogConfig
  readonly checkpoints: CheckpointedOffsets
  readonly options: RecoveryOptions
  readonly changes: Changes
  /** As stored. */
  readonly epochs: LeaderEpochs
  readonly report: ReportBuilder
  /** Segments, by base offset, that were found to be wrong when they were opened. */
  readonly suspects?: ReadonlyMap<bigint, ScanCause>
}

export class RecoveryContext {
  readonly input: RecoveryInput
  readonly report: ReportBuilder

  constructor(input: RecoveryInput) {
    this.input = input
    this.report = input.report
  }

  /** Nothing is written: what would be is told. */
  get isDry(): boolean {
    return this.input.changes instanceof NoChanges
  }

  path(name: string): string {
    return join(this.input.env.directory, name)
  }

  scan(
    log: LogFile,
    epochs: LeaderEpochs,
    each?: (batches: BatchColumns, position: number) => Promise<void> | void,
  ): Promise<SegmentScan> {
    const { config, options } = this.input
    const { scanLane: lane, signal } = options
    return scanSegment({
      lane,
      log,
      config,
      epochs,
      each: async (batches, position) => {
        signal?.throwIfAborted()
        await each?.(batches, position)
      },
    })
  }

  async withLog<T>(
    { baseOffset, storedAs }: { readonly baseOffset: bigint; readonly storedAs: string },
    work: (log: LogFile) => Promise<T>,
  ): Promise<T> {
    const log = this.input.env.backend.openLogFile(this.path(storedAs), { mode: 'read', baseOffset })
    try {
      return await work(log)
    } finally {
      await log.close()
    }
  }

  info(text: string, fields: object = {}): void {
    this.input.env.logger.info({ log: this.input.env.name, ...fields }, text)
  }

  warn(text: string, fields: object = {}): void {
    this.input.env.logger.warn({ log: this.input.env.name, ...fields }, text)
  }

  error(text: string, fields: object = {}): void {
    this.input.env.logger.error({ log: this.input.env.name, ...fields }, text)
  }
}
