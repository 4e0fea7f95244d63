/**
 * A compressed wrapper of magic 0 or 1 without the messages that go, as Kafka
 * rebuilds it: magic and codec stay, every message is written with the
 * wrapper's magic, and the wrapper takes offset and time from what is left.
 * Pure but for the codec. Not on a hot path: such batches are old.
 */

import type { RecordColumns } from '../backend/record-kernel.js'
import { CODEC_IDS, loadedCodec } from '../format/compression.js'
import * as layout from '../format/layout.js'
import { type LegacyBatch, legacyKeyAndValue, sealLegacyBatch } from '../format/legacy.js'
import { entriesOf } from './legacy-rows.js'

export interface RebuiltWrapper {
  readonly bytes: Buffer
  /** Of the first message that is left. */
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
}

/** `columns` holds the rows of the wrapper's open `set`, of which at least one is kept. */
export function rebuildWrapper(
  wrapper: LegacyBatch,
  set: Uint8Array,
  columns: RecordColumns,
): RebuiltWrapper {
  const { magic, codec } = wrapper
  const isAppendTime = wrapper.timestampType === 'LogAppendTime'
  const typeBit = isAppendTime ? layout.TIMESTAMP_TYPE_BIT : 0
  const entries = entriesOf(wrapper, set)
  const kept = [...entries.keys()].filter((row) => columns.keep[row] !== 0)
  const offsetOf = (row: number) => columns.offsets[row] as bigint
  const firstOffset = offsetOf(kept[0] as number)
  const lastOffset = offsetOf(kept.at(-1) as number)
  // Inner offsets of magic 1 count from the first message that is left.
  const origin = magic === 0 ? 0n : firstOffset
  let maxTimestamp = isAppendTime ? wrapper.maxTimestamp : layout.NO_TIMESTAMP
  const messages = kept.map((row) => {
    const timestamp = isAppendTime ? wrapper.maxTimestamp : (columns.timestampDeltas[row] as bigint)
    if (magic > 0 && timestamp > maxTimestamp) maxTimestamp = timestamp
    const { key, value } = legacyKeyAndValue(entries[row] as LegacyBatch)
    return message({ magic, offset: offsetOf(row) - origin, attributes: typeBit, timestamp, key, value })
  })
  const value = asBuffer(loadedCodec(codec).compress(Buffer.concat(messages)))
  const attributes = typeBit | CODEC_IDS[codec]
  const bytes = message({ magic, offset: lastOffset, attributes, timestamp: maxTimestamp, key: null, value })
  return { bytes, firstOffset, lastOffset, maxTimestamp }
}

interface Message {
  readonly magic: 0 | 1
  readonly offset: bigint
  readonly attributes: number
  /** Not written in magic 0. */
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
}

function message({ magic, offset, attributes, timestamp, key, value }: Message): Buffer {
  const overhead = magic === 0 ? layout.LEGACY_V0_OVERHEAD : layout.LEGACY_V1_OVERHEAD
  const bytes = Buffer.alloc(overhead + (key?.length ?? 0) + (value?.length ?? 0))
  bytes.writeBigInt64BE(offset, layout.BASE_OFFSET_AT)
  bytes.writeInt32BE(bytes.length - layout.LOG_OVERHEAD, layout.LENGTH_AT)
  bytes[layout.MAGIC_AT] = magic
  bytes[layout.LEGACY_ATTRIBUTES_AT] = attributes
  if (magic === 1) bytes.writeBigInt64BE(timestamp, layout.LEGACY_TIMESTAMP_AT)
  const keyAt = layout.LEGACY_TIMESTAMP_AT + (magic === 0 ? 0 : 8)
  const valueAt = writeField(bytes, keyAt, key)
  writeField(bytes, valueAt, value)
  return sealLegacyBatch(bytes)
}

function writeField(bytes: Buffer, at: number, field: Buffer | null): number {
  bytes.writeInt32BE(field?.length ?? -1, at)
  field?.copy(bytes, at + 4)
  return at + 4 + (field?.length ?? 0)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
