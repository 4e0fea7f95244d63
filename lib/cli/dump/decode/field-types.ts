/**
 * The types that a field of Kafka's messages can have, and how the bytes of
 * each become the JSON that Kafka makes of them. What they say of bytes that
 * cannot be read is Kafka's text.
 */

import type { JsonValue } from './java-json.js'
import { MessageError, type MessageReader } from './message-reader.js'

/** Which form the bytes have. */
export interface Form {
  readonly version: number
  /** Lengths as varints, and tagged fields behind each structure. */
  readonly isFlexible: boolean
}

/** Reads one value; `name` is the field's, for what is told where it cannot be read. */
export type Read = (from: MessageReader, form: Form, name: string) => JsonValue

export interface Type {
  readonly read: Read
  /** The value of a field that is not there. */
  readonly absent: JsonValue
}

/** A type with a length in front, which is below 0 for null. */
interface SizedType {
  readonly lengthBytes: 2 | 4
  readonly read: (from: MessageReader, form: Form, name: string, length: number) => JsonValue
  readonly absent: JsonValue
}

const MOST_ELEMENTS = 1_000_000
const LONGEST_TEXT = 0x7fff

export const INT8: Type = { read: (from) => from.int8(), absent: 0 }
export const INT16: Type = { read: (from) => from.int16(), absent: 0 }
export const UINT16: Type = { read: (from) => from.uint16(), absent: 0 }
export const INT32: Type = { read: (from) => from.int32(), absent: 0 }
export const INT64: Type = { read: (from) => from.int64(), absent: 0n }
export const UUID: Type = { read: (from) => from.uuid(), absent: 'AAAAAAAAAAAAAAAAAAAAAA' }

const TEXT: SizedType = {
  lengthBytes: 2,
  read: (from, _form, name, length) => {
    if (length > LONGEST_TEXT) throw new MessageError(`string field ${name} had invalid length ${length}`)
    return from.text(length)
  },
  absent: '',
}

const BINARY: SizedType = {
  lengthBytes: 4,
  read: (from, _form, _name, length) => from.bytes(length).toString('base64'),
  absent: '',
}

export const STRING = neverNull(TEXT)
export const NULLABLE_STRING = orNull(TEXT)
/** Base64 in JSON. */
export const BYTES = neverNull(BINARY)
export const NULLABLE_BYTES = orNull(BINARY)

export function array(of: Type): Type {
  return neverNull(listOf(of))
}

export function nullableArray(of: Type): Type {
  return orNull(listOf(of))
}

function listOf(of: Type): SizedType {
  const read: SizedType['read'] = (from, form, name, length) => {
    if (length > from.remaining)
      throw new MessageError(
        `Tried to allocate a collection of size ${length}, but there are only ${from.remaining} bytes remaining.`,
      )
    if (length > MOST_ELEMENTS)
      throw new MessageError(
        `Tried to read a collection of size ${length}, which exceeds the maximum allowed size of ${MOST_ELEMENTS}.`,
      )
    const elements: JsonValue[] = []
    while (elements.length < length) elements.push(of.read(from, form, `${name} element`))
    return elements
  }
  return { lengthBytes: 4, read, absent: [] }
}

function neverNull({ lengthBytes, read, absent }: SizedType): Type {
  return {
    read: (from, form, name) => {
      const length = lengthOf(from, form, lengthBytes)
      if (length < 0) throw new MessageError(`non-nullable field ${name} was serialized as null`)
      return read(from, form, name, length)
    },
    absent,
  }
}

/** Absent is still the empty value: so Kafka has it where a description gives no other. */
function orNull({ lengthBytes, read, absent }: SizedType): Type {
  return {
    read: (from, form, name) => {
      const length = lengthOf(from, form, lengthBytes)
      return length < 0 ? null : read(from, form, name, length)
    },
    absent,
  }
}

/** In the flexible form one less than the varint, in 32 bits as in Java. */
function lengthOf(from: MessageReader, { isFlexible }: Form, lengthBytes: 2 | 4): number {
  if (isFlexible) return (from.unsignedVarint() - 1) | 0
  return lengthBytes === 2 ? from.int16() : from.int32()
}
