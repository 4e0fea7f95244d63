/**
 * An idempotent producer's part of a batch, as callers write it, and the header
 * fields that it becomes.
 */

import { INT32_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkObject } from '../base/options.js'
import type { BatchHeader } from './batch-encoder.js'

export interface ProducerInput {
  readonly id: Int64Input
  readonly epoch: number
  /** Sequence of the first record. */
  readonly baseSequence: number
  readonly transactional?: boolean
}

const INT16_MAX = 32_767

/** Throws TypeError or RangeError for a field that no batch can have. */
export function producerFields(
  producer: ProducerInput,
): Pick<BatchHeader, 'producerId' | 'producerEpoch' | 'baseSequence' | 'isTransactional'> {
  checkObject('producer', producer)
  return {
    producerId: toInt64('producer.id', producer.id, 0n),
    producerEpoch: toInteger('producer.epoch', producer.epoch, 0, INT16_MAX),
    baseSequence: toInteger('producer.baseSequence', producer.baseSequence, 0, INT32_MAX),
    isTransactional: producer.transactional === true,
  }
}
