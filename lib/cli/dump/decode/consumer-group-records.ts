/**
 * The records of consumer groups whose members are assigned by the broker, in
 * `__consumer_offsets`.
 */

import type { RecordTypes } from './coordinator-record.js'
import {
  array,
  BYTES,
  INT8,
  INT32,
  INT64,
  NULLABLE_STRING,
  nullableArray,
  STRING,
  UUID,
} from './field-types.js'
import { flexible, message, struct, tagged, taggedStruct } from './message.js'

const GROUP_KEY = message({ groupId: STRING })
const MEMBER_KEY = message({ groupId: STRING, memberId: STRING })

const ASSIGNED_PARTITIONS = array(
  struct({ topicId: UUID, partitions: array(INT32), assignmentEpochs: tagged(0, nullableArray(INT32)) }),
)

const PARTITION_RACKS = array(struct({ partition: INT32, racks: array(STRING) }))

const CLASSIC_MEMBER = {
  sessionTimeoutMs: INT32,
  supportedProtocols: array(struct({ name: STRING, metadata: BYTES })),
}

export const consumerGroupRecords: RecordTypes = {
  3: { key: GROUP_KEY, value: flexible({ epoch: INT32, metadataHash: tagged(0, INT64) }) },
  4: {
    key: GROUP_KEY,
    value: flexible({
      topics: array(
        struct({
          topicId: UUID,
          topicName: STRING,
          numPartitions: INT32,
          partitionMetadata: PARTITION_RACKS,
        }),
      ),
    }),
  },
  5: {
    key: MEMBER_KEY,
    value: flexible({
      instanceId: NULLABLE_STRING,
      rackId: NULLABLE_STRING,
      clientId: STRING,
      clientHost: STRING,
      subscribedTopicNames: array(STRING),
      subscribedTopicRegex: NULLABLE_STRING,
      rebalanceTimeoutMs: INT32,
      serverAssignor: NULLABLE_STRING,
      // Kafka takes one with nothing in it for one that is not there, and null for one that is.
      classicMemberMetadata: taggedStruct(0, CLASSIC_MEMBER, { sessionTimeoutMs: 0, supportedProtocols: [] }),
    }),
  },
  6: { key: GROUP_KEY, value: flexible({ assignmentEpoch: INT32, assignmentTimestamp: tagged(0, INT64) }) },
  7: {
    key: MEMBER_KEY,
    value: flexible({ topicPartitions: array(struct({ topicId: UUID, partitions: array(INT32) })) }),
  },
  8: {
    key: MEMBER_KEY,
    value: flexible({
      memberEpoch: INT32,
      previousMemberEpoch: INT32,
      state: INT8,
      assignedPartitions: ASSIGNED_PARTITIONS,
      partitionsPendingRevocation: ASSIGNED_PARTITIONS,
    }),
  },
  16: {
    key: message({ groupId: STRING, regularExpression: STRING }),
    value: flexible({ topics: array(STRING), version: INT64, timestamp: INT64 }),
  },
}
