/**
 * The records of `__consumer_offsets` by type: committed offsets and the
 * metadata of classic groups here, those of newer kinds of groups beside.
 */

import { consumerGroupRecords } from './consumer-group-records.js'
import type { RecordTypes } from './coordinator-record.js'
import { array, BYTES, INT32, INT64, NULLABLE_STRING, STRING, UUID } from './field-types.js'
import { openMembers } from './member-protocol.js'
import { message, since, struct, tagged, versions } from './message.js'
import { shareGroupRecords } from './share-group-records.js'
import { streamsGroupRecords } from './streams-group-records.js'

const OFFSET_KEY = message({ group: STRING, topic: STRING, partition: INT32 })

const MEMBER = struct({
  memberId: STRING,
  groupInstanceId: since(3, NULLABLE_STRING),
  clientId: STRING,
  clientHost: STRING,
  rebalanceTimeout: since(1, INT32),
  sessionTimeout: INT32,
  subscription: BYTES,
  assignment: BYTES,
})

export const GROUP_RECORDS: RecordTypes = {
  // What brokers before 0.9 committed.
  0: { key: OFFSET_KEY, value: message({ offset: INT64, metadata: STRING, commitTimestamp: INT64 }) },
  1: {
    key: OFFSET_KEY,
    value: message(
      {
        offset: INT64,
        leaderEpoch: since(3, INT32),
        metadata: STRING,
        commitTimestamp: INT64,
        expireTimestamp: versions(1, 1, INT64),
        topicId: tagged(0, UUID),
      },
      { newestVersion: 4, flexibleFrom: 4 },
    ),
  },
  2: {
    key: message({ group: STRING }),
    value: message(
      {
        protocolType: STRING,
        generation: INT32,
        protocol: NULLABLE_STRING,
        leader: NULLABLE_STRING,
        currentStateTimestamp: since(2, INT64),
        members: array(MEMBER),
      },
      { newestVersion: 4, flexibleFrom: 4 },
    ),
    present: openMembers,
  },
  ...consumerGroupRecords,
  ...shareGroupRecords,
  ...streamsGroupRecords,
}
