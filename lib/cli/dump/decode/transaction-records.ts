/**
 * The records of `__transaction_state`: what the coordinator knows of each
 * transactional id.
 */

import type { RecordTypes } from './coordinator-record.js'
import { array, INT8, INT16, INT32, INT64, nullableArray, STRING } from './field-types.js'
import type { JsonValue } from './java-json.js'
import { message, struct, tagged } from './message.js'

/** By the number that is stored. */
const STATES: readonly string[] = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
]

export const TRANSACTION_RECORDS: RecordTypes = {
  0: {
    key: message({ transactionalId: STRING }),
    value: message(
      {
        producerId: INT64,
        previousProducerId: tagged(0, INT64, -1n),
        nextProducerId: tagged(1, INT64, -1n),
        producerEpoch: INT16,
        nextProducerEpoch: tagged(3, INT16, -1),
        transactionTimeoutMs: INT32,
        transactionStatus: INT8,
        transactionPartitions: nullableArray(struct({ topic: STRING, partitionIds: array(INT32) })),
        transactionLastUpdateTimestampMs: INT64,
        transactionStartTimestampMs: INT64,
        clientTransactionVersion: tagged(2, INT16),
      },
      { newestVersion: 1, flexibleFrom: 1 },
    ),
    present: nameState,
  },
}

/** A number that is no state's is printed as text all the same. */
function nameState(value: Readonly<Record<string, JsonValue>>): JsonValue {
  const { transactionStatus } = value
  return { ...value, transactionStatus: STATES[Number(transactionStatus)] ?? `${transactionStatus}` }
}
