/**
 * Kafka's messages by a description of their fields: what the tables of
 * records are written in, and how bytes become the JSON of a message.
 */

import type { Form, Read, Type } from './field-types.js'
import { type JsonValue, javaJson } from './java-json.js'
import { MessageError, type MessageReader } from './message-reader.js'

/** What the bytes of a key or value can be: versions 0 to the newest. */
export interface Message {
  readonly newestVersion: number
  readonly flexibleFrom: number
  readonly fields: Fields
}

/** In the order in which they are printed; those without a tag are also stored in it. */
export type Fields = Readonly<Record<string, Type | VersionedField | TaggedField>>

interface VersionedField {
  readonly type: Type
  readonly from: number
  readonly to: number
}

interface TaggedField {
  readonly type: Type
  readonly tag: number
  /** Not printed where it has this value. */
  readonly absent: JsonValue
  readonly read: Read
}

const NEVER = Number.MAX_SAFE_INTEGER
const MOST_TAGGED_FIELDS = 10_000

export function message(fields: Fields, { newestVersion = 0, flexibleFrom = NEVER } = {}): Message {
  return { fields, newestVersion, flexibleFrom }
}

/** A message that has been flexible from the first. */
export function flexible(fields: Fields): Message {
  return message(fields, { flexibleFrom: 0 })
}

/** A field of the versions `from` to `to` alone. */
export function versions(from: number, to: number, type: Type): VersionedField {
  return { type, from, to }
}

export function since(from: number, type: Type): VersionedField {
  return versions(from, NEVER, type)
}

/** A field that a flexible form may have; it is not printed where it is `absent`, stored or not. */
export function tagged(tag: number, type: Type, absent = type.absent): TaggedField {
  return { type, tag, absent, read: type.read }
}

/** The same for a structure, which in a tagged field has a varint in front that says whether it is null. */
export function taggedStruct(tag: number, fields: Fields, absent: JsonValue): TaggedField {
  const type = struct(fields)
  const read: Read = (from, form, name) => (from.unsignedVarint() <= 0 ? null : type.read(from, form, name))
  return { type, tag, absent, read }
}

export function struct(fields: Fields): Type {
  return { read: (from, form) => readFields(from, fields, form), absent: null }
}

/** A structure behind a byte that says whether it is there. */
export function nullableStruct(fields: Fields): Type {
  return { read: (from, form) => (from.int8() < 0 ? null : readFields(from, fields, form)), absent: null }
}

/** Fields of a message of this version; throws `MessageError`. What lies behind them is passed over. */
export function readMessage(from: MessageReader, { fields, flexibleFrom }: Message, version: number) {
  return readFields(from, fields, { version, isFlexible: version >= flexibleFrom })
}

function readFields(from: MessageReader, fields: Fields, form: Form): Readonly<Record<string, JsonValue>> {
  const stored = new Map<string, JsonValue>()
  for (const [name, field] of Object.entries(fields)) {
    if ('tag' in field) continue
    const { type, from: first, to } = 'type' in field ? field : since(0, field)
    if (form.version >= first && form.version <= to) stored.set(name, type.read(from, form, name))
  }
  if (form.isFlexible) readTaggedFields(from, fields, form, stored)
  const ordered = Object.keys(fields).flatMap((name) => {
    const value = stored.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(ordered)
}

function readTaggedFields(
  from: MessageReader,
  fields: Fields,
  form: Form,
  stored: Map<string, JsonValue>,
): void {
  for (let left = taggedFieldCount(from); left > 0; left--) {
    const tag = from.unsignedVarint()
    const sizeInBytes = from.unsignedVarint()
    const known = Object.entries(fields).find(([, field]) => 'tag' in field && field.tag === tag)
    if (known === undefined) {
      from.bytes(sizeInBytes)
      continue
    }
    const [name, { read, absent }] = known as [string, TaggedField]
    const value = read(from, form, name)
    stored.delete(name)
    if (javaJson(value) !== javaJson(absent)) stored.set(name, value)
  }
}

function taggedFieldCount(from: MessageReader): number {
  const count = from.unsignedVarint()
  if (count < 0) throw new MessageError(`Invalid negative number of tagged fields ${count}`)
  if (count > from.remaining)
    throw new MessageError(
      `Tried to read ${count} tagged fields, but there are only ${from.remaining} bytes remaining.`,
    )
  if (count > MOST_TAGGED_FIELDS)
    throw new MessageError(
      `Tried to read ${count} tagged fields, which exceeds the maximum allowed count of ${MOST_TAGGED_FIELDS}.`,
    )
  return count
}
