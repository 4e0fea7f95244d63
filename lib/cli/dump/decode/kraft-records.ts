/**
 * KRaft's control records, in a metadata log beside metadata. Their values
 * begin with a version of their own; Kafka reads all but a leader change as
 * the first one, whatever it is.
 */

import type { ControlType } from '../../../format/control-record.js'
import { array, INT16, INT32, INT64, STRING, UINT16, UUID } from './field-types.js'
import type { JsonValue } from './java-json.js'
import { type Fields, flexible, type Message, readMessage, since, struct } from './message.js'
import { MessageError, MessageReader } from './message-reader.js'

export type KraftControlType = Exclude<ControlType, 'ABORT' | 'COMMIT' | 'UNKNOWN'>

const LEADER_VOTERS = array(struct({ voterId: INT32, voterDirectoryId: since(1, UUID) }))

const VOTER = struct({
  voterId: INT32,
  voterDirectoryId: UUID,
  endpoints: array(struct({ name: STRING, host: STRING, port: UINT16 })),
  kRaftVersionFeature: struct({ minSupportedVersion: INT16, maxSupportedVersion: INT16 }),
})

const RECORDS: Readonly<Record<KraftControlType, { readonly newest: number; readonly value: Message }>> = {
  LEADER_CHANGE: {
    newest: 1,
    value: versioned({ leaderId: INT32, voters: LEADER_VOTERS, grantingVoters: LEADER_VOTERS }),
  },
  SNAPSHOT_HEADER: { newest: 0, value: versioned({ lastContainedLogTimestamp: INT64 }) },
  SNAPSHOT_FOOTER: { newest: 0, value: versioned({}) },
  KRAFT_VERSION: { newest: 0, value: versioned({ kRaftVersion: INT16 }) },
  KRAFT_VOTERS: { newest: 0, value: versioned({ voters: array(VOTER) }) },
}

/** The fields of a control record's value, under Kafka's names; `MessageError` where the bytes are none. */
export function parseKraftRecord(
  type: KraftControlType,
  value: Buffer | null,
): Readonly<Record<string, JsonValue>> {
  if (value === null) throw new MessageError(`a ${type} record has no value`)
  const { newest, value: what } = RECORDS[type]
  const version = new MessageReader(value).int16()
  return readMessage(new MessageReader(value), what, Math.min(Math.max(version, 0), newest))
}

function versioned(fields: Fields): Message {
  return flexible({ version: INT16, ...fields })
}
