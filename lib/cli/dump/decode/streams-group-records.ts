/**
 * The records of Kafka Streams' groups in `__consumer_offsets`.
 */

import type { RecordTypes } from './coordinator-record.js'
import {
  array,
  INT8,
  INT16,
  INT32,
  INT64,
  NULLABLE_STRING,
  nullableArray,
  STRING,
  UINT16,
} from './field-types.js'
import { flexible, message, nullableStruct, struct, tagged } from './message.js'

const GROUP_KEY = message({ groupId: STRING })
const MEMBER_KEY = message({ groupId: STRING, memberId: STRING })
const KEY_VALUES = struct({ key: STRING, value: STRING })

const TASKS = array(struct({ subtopologyId: STRING, partitions: array(INT32) }))
const TASKS_WITH_EPOCHS = array(
  struct({
    subtopologyId: STRING,
    partitions: array(INT32),
    assignmentEpochs: tagged(0, nullableArray(INT32)),
  }),
)

const TOPICS = array(
  struct({ name: STRING, partitions: INT32, replicationFactor: INT16, topicConfigs: array(KEY_VALUES) }),
)

const SUBTOPOLOGY = struct({
  subtopologyId: STRING,
  sourceTopics: array(STRING),
  sourceTopicRegex: array(STRING),
  stateChangelogTopics: TOPICS,
  repartitionSinkTopics: array(STRING),
  repartitionSourceTopics: TOPICS,
  copartitionGroups: array(
    struct({
      sourceTopics: array(INT16),
      sourceTopicRegex: array(INT16),
      repartitionSourceTopics: array(INT16),
    }),
  ),
})

export const streamsGroupRecords: RecordTypes = {
  17: {
    key: GROUP_KEY,
    value: flexible({
      epoch: INT32,
      metadataHash: INT64,
      validatedTopologyEpoch: tagged(0, INT32, -1),
      lastAssignmentConfigs: tagged(1, nullableArray(KEY_VALUES)),
      storedDescriptionTopologyEpoch: tagged(2, INT32, -1),
      failedDescriptionTopologyEpoch: tagged(3, INT32, -1),
    }),
  },
  19: {
    key: MEMBER_KEY,
    value: flexible({
      instanceId: NULLABLE_STRING,
      rackId: NULLABLE_STRING,
      clientId: STRING,
      clientHost: STRING,
      rebalanceTimeoutMs: INT32,
      topologyEpoch: INT32,
      processId: STRING,
      userEndpoint: nullableStruct({ host: STRING, port: UINT16 }),
      clientTags: array(KEY_VALUES),
    }),
  },
  20: { key: GROUP_KEY, value: flexible({ assignmentEpoch: INT32, assignmentTimestamp: tagged(0, INT64) }) },
  21: { key: MEMBER_KEY, value: flexible({ activeTasks: TASKS, standbyTasks: TASKS, warmupTasks: TASKS }) },
  22: {
    key: MEMBER_KEY,
    value: flexible({
      memberEpoch: INT32,
      previousMemberEpoch: INT32,
      state: INT8,
      activeTasks: TASKS_WITH_EPOCHS,
      standbyTasks: TASKS_WITH_EPOCHS,
      warmupTasks: TASKS_WITH_EPOCHS,
      activeTasksPendingRevocation: TASKS_WITH_EPOCHS,
      standbyTasksPendingRevocation: TASKS_WITH_EPOCHS,
      warmupTasksPendingRevocation: TASKS_WITH_EPOCHS,
    }),
  },
  23: { key: GROUP_KEY, value: flexible({ epoch: INT32, subtopologies: array(SUBTOPOLOGY) }) },
}
