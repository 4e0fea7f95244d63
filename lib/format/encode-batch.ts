/**
 * `encodeBatch`: the public way to make one batch's bytes without a log.
 */

import { systemClock } from '../base/clock.js'
import { INT32_MAX, INT64_MAX, INT64_MIN, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkObject } from '../base/options.js'
import { wrongType } from '../errors.js'
import {
  assembleBatch,
  BatchEncoder,
  type BatchHeader,
  type BatchTime,
  PLAIN_HEADER,
  sealBatch,
} from './batch-encoder.js'
import type { CodecName } from './compression.js'
import { type ProducerInput, producerFields } from './producer-input.js'
import type { RecordInput } from './record.js'

export interface EncodeBatchOptions {
  /** Offset of the first record; 0 where absent. */
  readonly baseOffset?: Int64Input
  readonly partitionLeaderEpoch?: number
  /** A codec other than `'none'` must be loaded: `await loadCodec(name)`. */
  readonly compression?: CodecName
  readonly compressionLevel?: number
  /** With `LogAppendTime`, `logAppendTime` is the time that readers see. */
  readonly timestampType?: 'CreateTime' | 'LogAppendTime'
  readonly logAppendTime?: Int64Input
  readonly producer?: ProducerInput
}

const encoder = new BatchEncoder()

/** See `encodeBatch` of the package. */
export function encodeBatch(records: readonly RecordInput[], options: EncodeBatchOptions = {}): Buffer {
  if (!Array.isArray(records)) throw wrongType('records', 'an array of records', records)
  checkObject('options', options)
  const encoded = encoder.encodeRecords(records, systemClock.nowMs())
  const { compression: codec = 'none', compressionLevel: level } = options
  const batch = assembleBatch(
    encoded,
    headerOf(options),
    timeOf(options),
    level === undefined ? { codec } : { codec, level },
  )
  // Uncompressed it is the encoder's own buffer, which the next call writes to.
  return sealBatch(codec === 'none' ? Buffer.from(batch) : batch)
}

function headerOf({ baseOffset = 0n, partitionLeaderEpoch = -1, producer }: EncodeBatchOptions): BatchHeader {
  const header = {
    ...PLAIN_HEADER,
    baseOffset: toInt64('baseOffset', baseOffset, INT64_MIN, INT64_MAX),
    partitionLeaderEpoch: toInteger('partitionLeaderEpoch', partitionLeaderEpoch, -1, INT32_MAX),
  }
  return producer === undefined ? header : { ...header, ...producerFields(producer) }
}

function timeOf({ timestampType = 'CreateTime', logAppendTime }: EncodeBatchOptions): BatchTime {
  if (timestampType === 'CreateTime') return { type: 'CreateTime' }
  return { type: 'LogAppendTime', nowMs: toInt64('logAppendTime', logAppendTime ?? systemClock.nowMs(), -1n) }
}
