/**
 * What a record's key and value say: as text unless another decoder was asked
 * for by one of kafka-dump-log's flags.
 */

import { InvalidArgumentError } from 'commander'
import { type JsonBytes, jsonBytes, type LogRecord } from '../../../format/record.js'
import { printableBytes } from '../java-text.js'
import {
  coordinatorText,
  parseCoordinatorRecord,
  type RecordTypes,
  UnknownTypeError,
} from './coordinator-record.js'
import { GROUP_RECORDS } from './group-records.js'
import { MessageError } from './message-reader.js'
import { TRANSACTION_RECORDS } from './transaction-records.js'

export interface DecoderFlags {
  readonly keyDecoderClass?: BytesDecoder
  readonly valueDecoderClass?: BytesDecoder
  readonly offsetsDecoder?: boolean
  readonly transactionLogDecoder?: boolean
}

/** As kafka-dump-log prints them; null where nothing is printed. */
interface RecordText {
  readonly key: string | Buffer | null
  readonly payload: string | Buffer | null
}

/** Both throw `UndecodableError` for a record at which kafka-dump-log ends. */
export interface RecordDecoder {
  text(record: LogRecord): RecordText
  /** `key` and `value` for JSON, and why they are bytes where they could not be decoded. */
  fields(record: LogRecord): object
}

/** A record that is none of those that the decoder is for. */
export class UndecodableError extends Error {}

/** Bytes of a key or value, of which there are some. */
interface BytesDecoder {
  text(bytes: Buffer): string | Buffer
  json(bytes: Buffer): JsonBytes | number | bigint
}

const PACKAGE = 'org.apache.kafka.tools.api'
export const DEFAULT_DECODER_CLASS = `${PACKAGE}.StringDecoder`

const STRING: BytesDecoder = { text: printableBytes, json: jsonBytes }

const BYTES_DECODERS: Readonly<Record<string, BytesDecoder>> = {
  [DEFAULT_DECODER_CLASS]: STRING,
  [`${PACKAGE}.IntegerDecoder`]: numberDecoder(4, (bytes) => bytes.readInt32BE(0)),
  [`${PACKAGE}.LongDecoder`]: numberDecoder(8, (bytes) => bytes.readBigInt64BE(0)),
}

/** The decoder of Kafka's with this class name; one of the user's own would need Java. */
export function parseDecoderClass(name: string): BytesDecoder {
  const decoder = BYTES_DECODERS[name]
  if (decoder === undefined)
    throw new InvalidArgumentError(`It is none of ${Object.keys(BYTES_DECODERS).join(', ')}.`)
  return decoder
}

/** True where a flag asks for a decoder, which makes the contents printed. */
export function asksForDecoder(flags: DecoderFlags): boolean {
  const { keyDecoderClass, valueDecoderClass, offsetsDecoder, transactionLogDecoder } = flags
  return [keyDecoderClass, valueDecoderClass, offsetsDecoder, transactionLogDecoder].some(
    (flag) => flag !== undefined,
  )
}

/** Of several the one that kafka-dump-log takes. */
export function recordDecoder(flags: DecoderFlags): RecordDecoder {
  if (flags.offsetsDecoder === true) return coordinatorDecoder(GROUP_RECORDS)
  if (flags.transactionLogDecoder === true) return coordinatorDecoder(TRANSACTION_RECORDS)
  return bytesDecoder(flags.keyDecoderClass ?? STRING, flags.valueDecoderClass ?? STRING)
}

function bytesDecoder(keys: BytesDecoder, values: BytesDecoder): RecordDecoder {
  return {
    text: ({ key, value }) => ({
      key: key === null ? null : keys.text(key),
      payload: value === null ? null : values.text(value),
    }),
    fields: ({ key, value }) => ({
      key: key === null ? null : keys.json(key),
      value: value === null ? null : values.json(value),
    }),
  }
}

/** What follows the number is passed over. */
function numberDecoder(sizeInBytes: number, read: (bytes: Buffer) => number | bigint): BytesDecoder {
  const decode = (bytes: Buffer) => {
    if (bytes.length < sizeInBytes)
      throw new UndecodableError(`${bytes.length} bytes are no number of ${sizeInBytes}`)
    return read(bytes)
  }
  return { text: (bytes) => `${decode(bytes)}`, json: decode }
}

function coordinatorDecoder(types: RecordTypes): RecordDecoder {
  return {
    text: (record) => {
      const { offset } = record
      try {
        return coordinatorText(parseCoordinatorRecord(types, keyOf(record), record.value))
      } catch (error) {
        if (error instanceof UnknownTypeError)
          return { key: `Unknown record type ${error.type} at offset ${offset}, skipping.`, payload: null }
        if (!(error instanceof MessageError)) throw error
        return { key: `Error at offset ${offset}, skipping. ${error.message}`, payload: null }
      }
    },
    fields: (record) => {
      const { key, value } = record
      try {
        return parseCoordinatorRecord(types, keyOf(record), value)
      } catch (error) {
        if (!(error instanceof MessageError)) throw error
        return { key: jsonBytes(key), value: jsonBytes(value), undecoded: error.message }
      }
    },
  }
}

function keyOf({ key }: LogRecord): Buffer {
  if (key === null) throw new UndecodableError('it has no key, and every record of such a topic has one')
  return key
}
