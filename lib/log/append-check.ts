/**
 * Whether batches may be appended, decided before anything is written. Pure;
 * follows Kafka's LogValidator and UnifiedLog.analyzeAndValidateRecords.
 */

import { segmentBytesOf } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { InvalidBatchError, type PartitionLogError } from '../errors.js'
import type { Batch } from '../format/batch.js'
import type { EncodedRecords } from '../format/batch-encoder.js'
import { NO_TIMESTAMP } from '../format/layout.js'
import type { RecordInput } from '../format/record.js'
import type { Millis } from '../format/record-writer.js'

/** Refuses a timestamp too far from the broker's clock; -1 (none) always passes. */
export function checkTimestamp(
  timestamp: Millis,
  nowMs: number,
  config: LogConfig,
  recordIndex?: number,
): void {
  if (config.messageTimestampType !== 'CreateTime' || isNone(timestamp)) return
  const aheadMs = typeof timestamp === 'number' ? timestamp - nowMs : timestamp - BigInt(nowMs)
  const tooEarly = -aheadMs > config.messageTimestampBeforeMaxMs
  if (!tooEarly && !(aheadMs > config.messageTimestampAfterMaxMs)) return
  const name = tooEarly ? 'message.timestamp.before.max.ms' : 'message.timestamp.after.max.ms'
  const limit = tooEarly ? config.messageTimestampBeforeMaxMs : config.messageTimestampAfterMaxMs
  throw new InvalidBatchError(
    'ERR_TIMESTAMP_OUT_OF_BOUNDS',
    `timestamp ${timestamp} is ${tooEarly ? 'behind' : 'ahead of'} the clock (${nowMs}) by more than ${name}=${limit}`,
    { actual: BigInt(timestamp), expected: limit, ...(recordIndex === undefined ? {} : { recordIndex }) },
  )
}

/** `checkTimestamp` of every record; looks at single ones only where the batch's extremes are out of bounds. */
export function checkTimestamps(
  { maxTimestamp, minTimestamp }: EncodedRecords,
  records: readonly RecordInput[],
  nowMs: number,
  config: LogConfig,
): void {
  try {
    checkTimestamp(maxTimestamp, nowMs, config)
    checkTimestamp(minTimestamp, nowMs, config)
  } catch (error) {
    for (const [index, { timestamp }] of records.entries()) {
      checkTimestamp(timestamp === undefined ? BigInt(nowMs) : BigInt(timestamp), nowMs, config, index)
    }
    throw error
  }
}

/** In a compacted log a record without a key could never be cleaned. */
export function checkKeys(records: readonly RecordInput[], config: LogConfig): void {
  if (!config.cleanupPolicy.includes('compact')) return
  for (let index = 0; index < records.length; index++) checkKey(records[index] as RecordInput, index, config)
}

/** The same of one record; `index` names it in the error. */
export function checkKey({ key }: RecordInput, index: number, config: LogConfig): void {
  if ((key === null || key === undefined) && config.cleanupPolicy.includes('compact')) {
    throw keyRequired(index)
  }
}

/** Refuses what `max.message.bytes` and `segment.bytes` forbid a leader. */
export function checkSize(sizeInBytes: number, config: LogConfig): void {
  checkAgainst(sizeInBytes, config.maxMessageBytes, 'max.message.bytes')
  checkAgainst(sizeInBytes, segmentBytesOf(config), 'segment.bytes')
}

function checkAgainst(actual: number, limit: number, setting: string): void {
  if (actual <= limit) return
  throw new InvalidBatchError(
    'ERR_BATCH_TOO_LARGE',
    `a batch of ${actual} bytes is larger than ${setting}=${limit}; append less at once`,
    {
      actual,
      expected: limit,
    },
  )
}

/**
 * A batch that a producer hands to the leader: magic 2, offsets from 0 on
 * without gaps, as many records as it says, no control batch. Opens the
 * batch. Gives the largest timestamp of its records, which the leader trusts
 * rather than the header's.
 */
export function checkProducerBatch(batch: Batch, nowMs: number, config: LogConfig): bigint {
  const refuse = (message: string) => {
    throw new InvalidBatchError('ERR_INVALID_BATCH', message)
  }
  if (batch.magic !== 2) refuse(`magic ${batch.magic} can only be read; encode the records anew`)
  if (batch.baseOffset !== 0n) refuse(`a batch for the leader starts at offset 0, not ${batch.baseOffset}`)
  if (batch.isControl) refuse('control batches are written by endTransaction')
  if (batch.count <= 0 || batch.lastOffset !== BigInt(batch.count - 1)) {
    refuse(`${batch.count} records do not fit a last offset of ${batch.lastOffset}`)
  }
  if (batch.timestampType !== 'CreateTime') refuse('the timestamp type LogAppendTime is set by the log')
  if (batch.deleteHorizonMs !== null) refuse('a delete horizon is set by the cleaner')
  if (batch.producerId >= 0n && (batch.producerEpoch < 0 || batch.baseSequence < 0)) {
    refuse(`producer ${batch.producerId} needs an epoch and a sequence`)
  }
  return checkRecords(batch, nowMs, config)
}

function checkRecords(batch: Batch, nowMs: number, config: LogConfig): bigint {
  const needsKeys = config.cleanupPolicy.includes('compact')
  let max = NO_TIMESTAMP
  let index = 0
  for (const record of batch.records()) {
    if (record.offset !== BigInt(index)) {
      throw new InvalidBatchError('ERR_INVALID_BATCH', `record ${index} has the offset ${record.offset}`, {
        recordIndex: index,
      })
    }
    if (needsKeys && record.key === null) throw keyRequired(index)
    if (record.timestamp < NO_TIMESTAMP) {
      throw new InvalidBatchError(
        'ERR_INVALID_BATCH',
        `record ${index} has the timestamp ${record.timestamp}`,
        {
          recordIndex: index,
        },
      )
    }
    checkTimestamp(record.timestamp, nowMs, config, index)
    if (record.timestamp > max) max = record.timestamp
    index++
  }
  return max
}

function keyRequired(recordIndex: number): PartitionLogError {
  return new InvalidBatchError(
    'ERR_KEY_REQUIRED',
    `record ${recordIndex} has no key, and cleanup.policy is compact`,
    { recordIndex },
  )
}

function isNone(timestamp: Millis): boolean {
  return typeof timestamp === 'number' ? timestamp === -1 : timestamp === NO_TIMESTAMP
}
