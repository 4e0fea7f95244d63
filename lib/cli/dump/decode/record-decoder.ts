/**
 * What a record's key and value say: as text unless another decoder was asked
 * for by one of kafka-dump-log's flags.
 */

import { InvalidBatchError } from '../../../errors.js'
import { jsonBytes } from '../../../format/record.js'
import type { OpenedRecord } from '../opened-record.js'
import { type BytesDecoder, STRING_DECODER, UndecodableError } from './class-decoders.js'
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
  text(record: OpenedRecord): RecordText
  /** `key` and `value` for JSON, and why they are bytes where they could not be decoded. */
  fields(record: OpenedRecord): object
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
  return bytesDecoder(flags.keyDecoderClass ?? STRING_DECODER, flags.valueDecoderClass ?? STRING_DECODER)
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

function coordinatorDecoder(types: RecordTypes): RecordDecoder {
  return {
    text: (record) => {
      const { offset } = record
      try {
        return coordinatorText(parseCoordinatorRecord(types, keyOf(record), record.value))
      } catch (error) {
        if (error instanceof UnknownTypeError)
          return { key: `Unknown record type ${error.type} at offset ${offset}, skipping.`, payload: null }
        return { key: `Error at offset ${offset}, skipping. ${unreadable(error)}`, payload: null }
      }
    },
    fields: (record) => {
      try {
        return parseCoordinatorRecord(types, keyOf(record), record.value)
      } catch (error) {
        const undecoded = unreadable(error)
        return { key: jsonBytes(record.key), value: jsonBytes(record.value), undecoded }
      }
    },
  }
}

/** Why the bytes are no record, or are not even there; throws what is neither. */
function unreadable(error: unknown): string {
  if (error instanceof MessageError || error instanceof InvalidBatchError) return error.message
  throw error
}

function keyOf({ key }: OpenedRecord): Buffer {
  if (key === null) throw new UndecodableError('it has no key, and every record of such a topic has one')
  return key
}
