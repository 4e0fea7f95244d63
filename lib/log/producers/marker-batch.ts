/**
 * The control batch that ends a transaction, as Kafka's coordinator has one
 * written: one record, uncompressed, without a sequence.
 *
 *   key    int16 version 0 | int16 type (0 abort, 1 commit)
 *   value  int16 version 0 | int32 coordinator epoch
 */

import {
  assembleBatch,
  type BatchEncoder,
  type BatchHeader,
  type BatchTime,
} from '../../format/batch-encoder.js'
import { ATTRIBUTES_AT, CONTROL_BIT } from '../../format/layout.js'
import type { Marker } from './producer-header.js'

const ABORT = 0
const COMMIT = 1

/** Without its checksum; valid until the encoder's next call. The record's time is the marker's. */
export function markerBatch(
  encoder: BatchEncoder,
  header: BatchHeader,
  { type, coordinatorEpoch, timestamp }: Marker,
  time: BatchTime,
): Buffer {
  const key = Buffer.alloc(4)
  key.writeInt16BE(type === 'COMMIT' ? COMMIT : ABORT, 2)
  const value = Buffer.alloc(6)
  value.writeInt32BE(coordinatorEpoch, 2)
  const records = encoder.encodeRecords([{ key, value, timestamp }], Number(timestamp))
  const batch = assembleBatch(records, header, time, { codec: 'none' })
  batch.writeInt16BE(batch.readInt16BE(ATTRIBUTES_AT) | CONTROL_BIT, ATTRIBUTES_AT)
  return batch
}
