/**
 * The records of share groups in `__consumer_offsets`: members and what they
 * are assigned. What a share group has acknowledged is in a topic of its own.
 */

import type { RecordTypes } from './coordinator-record.js'
import { array, INT8, INT32, INT64, NULLABLE_STRING, STRING, UUID } from './field-types.js'
import { flexible, message, struct, tagged } from './message.js'

const GROUP_KEY = message({ groupId: STRING })
const MEMBER_KEY = message({ groupId: STRING, memberId: STRING })
const PARTITIONS = array(struct({ topicId: UUID, partitions: array(INT32) }))
const NAMED_PARTITIONS = array(struct({ topicId: UUID, topicName: STRING, partitions: array(INT32) }))

export const shareGroupRecords: RecordTypes = {
  10: {
    key: MEMBER_KEY,
    value: flexible({
      rackId: NULLABLE_STRING,
      clientId: STRING,
      clientHost: STRING,
      subscribedTopicNames: array(STRING),
    }),
  },
  11: { key: GROUP_KEY, value: flexible({ epoch: INT32, metadataHash: INT64 }) },
  12: { key: GROUP_KEY, value: flexible({ assignmentEpoch: INT32, assignmentTimestamp: tagged(0, INT64) }) },
  13: { key: MEMBER_KEY, value: flexible({ topicPartitions: PARTITIONS }) },
  14: {
    key: MEMBER_KEY,
    value: flexible({
      memberEpoch: INT32,
      previousMemberEpoch: INT32,
      state: INT8,
      assignedPartitions: PARTITIONS,
    }),
  },
  15: {
    key: GROUP_KEY,
    value: flexible({
      initializingTopics: NAMED_PARTITIONS,
      initializedTopics: NAMED_PARTITIONS,
      deletingTopics: array(struct({ topicId: UUID, topicName: STRING })),
    }),
  },
}
