/**
 * Kafka's own classes for keys and values, by their names, as far as there is
 * a text of theirs that says something.
 */

import { InvalidArgumentError } from 'commander'
import { type JsonBytes, jsonBytes } from '../../../format/record.js'
import { printableBytes } from '../java-text.js'

/** A record that is none of those that the decoder is for. */
export class UndecodableError extends Error {}

/** Bytes of a key or value, of which there are some. */
export interface BytesDecoder {
  text(bytes: Buffer): string | Buffer
  json(bytes: Buffer): JsonBytes | number | bigint
}

const PACKAGE = 'org.apache.kafka.tools.api'
export const DEFAULT_DECODER_CLASS = `${PACKAGE}.StringDecoder`

export const STRING_DECODER: BytesDecoder = { text: printableBytes, json: jsonBytes }

const BYTES_DECODERS: Readonly<Record<string, BytesDecoder>> = {
  [DEFAULT_DECODER_CLASS]: STRING_DECODER,
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

/** What follows the number is passed over. */
function numberDecoder(sizeInBytes: number, read: (bytes: Buffer) => number | bigint): BytesDecoder {
  const decode = (bytes: Buffer) => {
    if (bytes.length < sizeInBytes)
      throw new UndecodableError(`${bytes.length} bytes are no number of ${sizeInBytes}`)
    return read(bytes)
  }
  return { text: (bytes) => `${decode(bytes)}`, json: decode }
}
