/**
 * What a classic consumer keeps in its group's metadata: its subscription and
 * assignment, messages of their own within the record.
 */

import { array, INT32, NULLABLE_BYTES, NULLABLE_STRING, STRING, type Type } from './field-types.js'
import type { JsonValue } from './java-json.js'
import { type Message, message, readMessage, since, struct } from './message.js'
import { MessageError, MessageReader } from './message-reader.js'

/** Members of other kinds of groups keep something that Kafka does not know. */
const CONSUMERS = 'consumer'
/** A newer form is read as this one, unless there are partitions in it. */
const NEWEST_VERSION = 3

const PARTITION = struct({ topic: STRING, partitions: array(INT32) })
const PARTITIONS: Type = array({
  ...PARTITION,
  read: (from, form, name) => {
    if (form.version > NEWEST_VERSION) throw new MessageError(`version ${form.version} is not known`)
    return PARTITION.read(from, form, name)
  },
})

const SUBSCRIPTION = message({
  topics: array(STRING),
  userData: NULLABLE_BYTES,
  ownedPartitions: since(1, PARTITIONS),
  generationId: since(2, INT32),
  rackId: since(3, NULLABLE_STRING),
})

const ASSIGNMENT = message({ assignedPartitions: PARTITIONS, userData: NULLABLE_BYTES })

type Json = Readonly<Record<string, JsonValue>>

/** A group's metadata with its members' subscriptions and assignments opened. */
export function openMembers(group: Json): JsonValue {
  if (group.protocolType !== CONSUMERS) return group
  const members = (group.members as readonly Json[]).map((member) => ({
    ...member,
    subscription: opened(SUBSCRIPTION, member.subscription as string),
    assignment: opened(ASSIGNMENT, member.assignment as string),
  }))
  return { ...group, members }
}

/** The bytes as they were where they are no such message. */
function opened(what: Message, base64: string): JsonValue {
  const reader = new MessageReader(Buffer.from(base64, 'base64'))
  try {
    const version = reader.int16()
    // The first form has always been; so a version below it is read as it.
    return readMessage(reader, what, Math.max(version, 0))
  } catch (error) {
    if (error instanceof MessageError) return base64
    throw error
  }
}
