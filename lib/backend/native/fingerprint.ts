/**
 * The table of positions (`format/layout.ts`) as text, to be compared with
 * what the addon makes of its own table (native/core/layout.cc): both must
 * mean the same bytes.
 */

import * as layout from '../../format/layout.js'

export function layoutFingerprint(): string {
  const fields = {
    baseOffset: layout.BASE_OFFSET_AT,
    length: layout.LENGTH_AT,
    leaderEpoch: layout.LEADER_EPOCH_AT,
    magic: layout.MAGIC_AT,
    crc: layout.CRC_AT,
    attributes: layout.ATTRIBUTES_AT,
    lastOffsetDelta: layout.LAST_OFFSET_DELTA_AT,
    baseTimestamp: layout.BASE_TIMESTAMP_AT,
    maxTimestamp: layout.MAX_TIMESTAMP_AT,
    producerId: layout.PRODUCER_ID_AT,
    producerEpoch: layout.PRODUCER_EPOCH_AT,
    baseSequence: layout.BASE_SEQUENCE_AT,
    recordCount: layout.RECORD_COUNT_AT,
    records: layout.RECORDS_AT,
    logOverhead: layout.LOG_OVERHEAD,
    headerSizeUpToMagic: layout.HEADER_SIZE_UP_TO_MAGIC,
    legacyCrc: layout.LEGACY_CRC_AT,
    legacyAttributes: layout.LEGACY_ATTRIBUTES_AT,
    legacyTimestamp: layout.LEGACY_TIMESTAMP_AT,
    minLength: layout.MIN_LENGTH,
    minLengthV1: layout.MIN_LENGTH_V1,
    minLengthV2: layout.MIN_LENGTH_V2,
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
