/**
 * Batches and records as kafka-dump-log prints them, field by field.
 */

import type { Batch } from '../../format/batch.js'
import { CODEC_NAMES } from '../../format/compression.js'
import * as layout from '../../format/layout.js'
import { incrementSequence } from './current-records.js'
import type { OpenedRecord } from './opened-record.js'

/** The line of a batch at `position`. */
export function batchLine(batch: Batch, position: number, isValid: boolean): string {
  return `${offsetsOf(batch)} position: ${position} ${batch.timestampType}: ${batch.maxTimestamp} size: ${batch.sizeInBytes} magic: ${batch.magic} compresscodec: ${codecText(batch)} crc: ${batch.crc} isvalid: ${isValid}`
}

/** The line of a batch whose header cannot be one: what every format has at the same place. */
export function damagedBatchLine(bytes: Buffer, position: number): string {
  const baseOffset = bytes.readBigInt64BE(layout.BASE_OFFSET_AT)
  const magic = bytes.readInt8(layout.MAGIC_AT)
  return `baseOffset: ${baseOffset} position: ${position} size: ${bytes.length} magic: ${magic} isvalid: false`
}

/** A codec id that is not given out is told, and the dump goes on. */
export function codecText({ attributes }: Batch): string {
  const id = attributes & layout.CODEC_MASK
  return CODEC_NAMES[id] ?? `unknown(${id})`
}

function offsetsOf(batch: Batch): string {
  if (batch.magic !== 2) return `offset: ${batch.lastOffset}`
  return [
    `baseOffset: ${batch.baseOffset} lastOffset: ${batch.lastOffset} count: ${batch.count}`,
    `baseSequence: ${batch.baseSequence} lastSequence: ${lastSequenceOf(batch)}`,
    `producerId: ${batch.producerId} producerEpoch: ${batch.producerEpoch}`,
    `partitionLeaderEpoch: ${batch.partitionLeaderEpoch}`,
    `isTransactional: ${batch.isTransactional} isControl: ${batch.isControl}`,
    `deleteHorizonMs: ${optionalLong(batch.deleteHorizonMs)}`,
  ].join(' ')
}

/** In a damaged header it can lie before the first. */
export function lastSequenceOf({ bytes, baseSequence }: Batch): number {
  if (baseSequence === layout.NO_SEQUENCE) return layout.NO_SEQUENCE
  return incrementSequence(baseSequence, bytes.readInt32BE(layout.LAST_OFFSET_DELTA_AT))
}

/** As Java shows an `OptionalLong`. */
export function optionalLong(value: bigint | null): string {
  return value === null ? 'OptionalLong.empty' : `OptionalLong[${value}]`
}

/** What is told of a record beside key and value. */
export function recordMetadata(batch: Batch, record: OpenedRecord): string {
  const { sequence, checksum } = record
  const { offset, timestamp, keySize, valueSize, headers } = record
  const sizes = `keySize: ${keySize} valueSize: ${valueSize}`
  const rest =
    checksum === null
      ? `sequence: ${sequence} headerKeys: [${headers.map((header) => header.key).join(',')}]`
      : `isValid: ${checksum.isValid} crc: ${checksum.crc}`
  return `offset: ${offset} ${batch.timestampType}: ${timestamp} ${sizes} ${rest}`
}
