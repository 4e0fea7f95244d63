/**
 * What is wrong with a batch that a leader is given, found without the
 * contenders' help: the codes under which it may be refused.
 */

import { segmentBytesOf } from '../../../lib/config/log-config.js'
import type { LogConfig } from '../../../lib/config/settings.js'
import type { Batch } from '../../../lib/format/batch.js'
import { recordBatches } from '../../../lib/format/batches.js'
import { encodeBatch } from '../../../lib/format/encode-batch.js'
import type { LogRecord } from '../../../lib/format/record.js'
import { fromBase64, type Operation } from './operation.js'
import { recordInput } from './record-input.js'

type Appended = Extract<Operation, { op: 'append' | 'leader' }>

export function faultsOf(operation: Appended, config: LogConfig, nowMs: number): ReadonlySet<string> {
  const bytes =
    operation.op === 'leader'
      ? fromBase64(operation.bytes)
      : encodeBatch(operation.records.map((record) => recordInput(record, nowMs)))
  const faults = new Set<string>()
  try {
    const batches = [...recordBatches(bytes)]
    if (batches.length > 1) faults.add('ERR_INVALID_BATCH')
    for (const batch of batches) for (const fault of batchFaults(batch, config, nowMs)) faults.add(fault)
  } catch {
    faults.add('ERR_INVALID_BATCH')
  }
  return faults
}

function batchFaults(batch: Batch, config: LogConfig, nowMs: number): string[] {
  const faults: string[] = []
  if (batch.sizeInBytes > Math.min(config.maxMessageBytes, segmentBytesOf(config)))
    faults.push('ERR_BATCH_TOO_LARGE')
  if (!batch.isValid() || batch.baseOffset !== 0n || batch.lastOffset !== BigInt(batch.count - 1))
    faults.push('ERR_INVALID_BATCH')
  try {
    for (const record of batch.records()) faults.push(...recordFaults(record, config, nowMs))
  } catch {
    faults.push('ERR_INVALID_BATCH')
  }
  return faults
}

function recordFaults({ key, timestamp }: LogRecord, config: LogConfig, nowMs: number): string[] {
  const faults: string[] = []
  if (key === null && config.cleanupPolicy.includes('compact')) faults.push('ERR_KEY_REQUIRED')
  const aheadMs = Number(timestamp) - nowMs
  const inTime =
    aheadMs <= config.messageTimestampAfterMaxMs && -aheadMs <= config.messageTimestampBeforeMaxMs
  if (timestamp !== -1n && !inTime) faults.push('ERR_TIMESTAMP_OUT_OF_BOUNDS')
  return faults
}
