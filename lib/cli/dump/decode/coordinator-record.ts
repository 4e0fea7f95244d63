/**
 * Records that a coordinator keeps in a topic: the key begins with the record's
 * type, the value with its version.
 */

import { type JsonValue, javaJson } from './java-json.js'
import { type Message, readMessage } from './message.js'
import { MessageError, MessageReader } from './message-reader.js'

type Json = Readonly<Record<string, JsonValue>>

interface RecordType {
  readonly key: Message
  readonly value: Message
  /** What is printed of a value, where it is not its fields as they are. */
  readonly present?: (value: Json) => JsonValue
}

export type RecordTypes = Readonly<Record<number, RecordType>>

/** What a record says; `value` is null for a tombstone. */
export interface CoordinatorRecord {
  readonly key: { readonly type: string; readonly data: JsonValue }
  readonly value: { readonly version: string; readonly data: JsonValue } | null
}

/** A type that is not among those asked for. */
export class UnknownTypeError extends MessageError {
  readonly type: number

  constructor(type: number) {
    super(`Found an unknown record type ${type}`)
    this.type = type
  }
}

/** Throws `MessageError`, in Kafka's words, where the bytes are no record of one of these types. */
export function parseCoordinatorRecord(
  types: RecordTypes,
  key: Buffer,
  value: Buffer | null,
): CoordinatorRecord {
  const keyReader = new MessageReader(key)
  const typeId = readVersion(keyReader, 'key')
  const type = types[typeId]
  if (type === undefined) throw new UnknownTypeError(typeId)
  const parsedKey = { type: `${typeId}`, data: readPart(keyReader, type.key, typeId, 'key') }
  if (value === null) return { key: parsedKey, value: null }
  const valueReader = new MessageReader(value)
  const version = readVersion(valueReader, 'value')
  if (version < 0 || version > type.value.newestVersion)
    throw new MessageError(`Found an unknown record version ${version} for ${typeId} type`)
  const data = readPart(valueReader, type.value, version, 'value')
  return { key: parsedKey, value: { version: `${version}`, data: type.present?.(data) ?? data } }
}

/** The record as kafka-dump-log prints it. */
export function coordinatorText({ key, value }: CoordinatorRecord): { key: string; payload: string } {
  return { key: javaJson(key), payload: value === null ? '<DELETE>' : javaJson(value) }
}

function readVersion(from: MessageReader, part: string): number {
  if (from.remaining < 2) throw new MessageError(`Could not read version from ${part}'s buffer.`)
  return from.int16()
}

function readPart(from: MessageReader, what: Message, version: number, part: string): Json {
  try {
    return readMessage(from, what, version)
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw new MessageError(
      `Could not read record with version ${version} from ${part}'s buffer due to: ${error.message}.`,
    )
  }
}
