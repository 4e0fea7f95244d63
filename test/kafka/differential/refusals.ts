/**
 * What Kafka refuses with which exception, and our code for it. An exception
 * that is not in the table is a fault of the test, never an equal refusal.
 */
import type { Refusal } from './contender.js'

/** Kafka's answer: simple class names. */
export interface KafkaRefusal {
  readonly refused: string
  readonly message?: string | null
  /** Of a RecordValidationException: what was wrong with the records. */
  readonly cause?: string
}

const CODES: Readonly<Record<string, string>> = {
  CorruptRecordException: 'ERR_INVALID_BATCH',
  IllegalArgumentException: 'ERR_OUT_OF_RANGE',
  InvalidProducerEpochException: 'ERR_PRODUCER_FENCED',
  InvalidRecordException: 'ERR_INVALID_BATCH',
  InvalidTimestampException: 'ERR_TIMESTAMP_OUT_OF_BOUNDS',
  InvalidTxnStateException: 'ERR_INVALID_TRANSACTION_STATE',
  OffsetOutOfRangeException: 'ERR_OFFSET_OUT_OF_RANGE',
  OffsetsOutOfOrderException: 'ERR_INVALID_BATCH',
  OutOfOrderSequenceException: 'ERR_OUT_OF_ORDER_SEQUENCE',
  RecordBatchTooLargeException: 'ERR_BATCH_TOO_LARGE',
  RecordTooLargeException: 'ERR_BATCH_TOO_LARGE',
  TransactionCoordinatorFencedException: 'ERR_PRODUCER_FENCED',
  UnexpectedAppendOffsetException: 'ERR_OFFSET_CONFLICT',
}

/** Of meant differences: nothing that we refuse stands for them. */
const KAFKA_ALONE = new Set([
  'LogSegmentOffsetOverflowException',
  'PolicyViolationException',
  'UnsupportedOperationException',
])

/** Kafka has one exception for all that is wrong with a record, and tells a missing key in its text alone. */
const WITHOUT_KEY = 'Compacted topic cannot accept message without key'

/** Our words for a refusal of Kafka's; throws for one that the table does not know. */
export function inOurWords({ refused, message, cause }: KafkaRefusal): Refusal {
  const as = refused === 'RecordValidationException' ? (cause ?? refused) : refused
  if (as === 'InvalidRecordException' && message?.includes(WITHOUT_KEY))
    return { code: 'ERR_KEY_REQUIRED', as, message }
  const code = KAFKA_ALONE.has(as) ? `none of ours: ${as}` : CODES[as]
  if (code === undefined) throw new Error(`Kafka refuses with ${as}, which is not in the table: ${message}`)
  return { code, as, message: message ?? '' }
}
