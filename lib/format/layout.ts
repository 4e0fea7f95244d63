/**
 * The one table of positions: where each field of a batch header lies.
 * All integers are big-endian and signed unless a name says otherwise.
 *
 *   magic 2            at          magic 0 / 1         at
 *   base offset        0  int64    offset              0  int64
 *   batch length       8  int32    message size        8  int32
 *   leader epoch      12  int32    CRC-32             12  uint32
 *   magic             16  int8     magic              16  int8
 *   CRC-32C           17  uint32   attributes         17  int8
 *   attributes        21  int16    timestamp (1)      18  int64
 *   last offset delta 23  int32    key length       18/26 int32
 *   base timestamp    27  int64
 *   max timestamp     35  int64
 *   producer id       43  int64
 *   producer epoch    51  int16
 *   base sequence     53  int32
 *   record count      57  int32
 *   records           61
 */

export const BASE_OFFSET_AT = 0
export const LENGTH_AT = 8
export const LEADER_EPOCH_AT = 12
export const MAGIC_AT = 16
export const CRC_AT = 17
export const ATTRIBUTES_AT = 21
export const LAST_OFFSET_DELTA_AT = 23
export const BASE_TIMESTAMP_AT = 27
export const MAX_TIMESTAMP_AT = 35
export const PRODUCER_ID_AT = 43
export const PRODUCER_EPOCH_AT = 51
export const BASE_SEQUENCE_AT = 53
export const RECORD_COUNT_AT = 57
export const RECORDS_AT = 61

/** Bytes before what the length field counts: offset and the length itself. */
export const LOG_OVERHEAD = 12
/** Bytes that must be there to tell offset, length and magic. */
export const HEADER_SIZE_UP_TO_MAGIC = 17
/** A magic 2 batch without records. */
export const BATCH_OVERHEAD = RECORDS_AT

export const LEGACY_CRC_AT = 12
export const LEGACY_ATTRIBUTES_AT = 17
export const LEGACY_TIMESTAMP_AT = 18
/** A whole message of magic 0 / 1 with null key and null value. */
export const LEGACY_V0_OVERHEAD = 26
export const LEGACY_V1_OVERHEAD = 34

/** Least value of the length field, for any magic and for each. */
export const MIN_LENGTH = LEGACY_V0_OVERHEAD - LOG_OVERHEAD
export const MIN_LENGTH_V1 = LEGACY_V1_OVERHEAD - LOG_OVERHEAD
export const MIN_LENGTH_V2 = BATCH_OVERHEAD - LOG_OVERHEAD

export const CODEC_MASK = 0x07
export const TIMESTAMP_TYPE_BIT = 0x08
export const TRANSACTIONAL_BIT = 0x10
export const CONTROL_BIT = 0x20
export const DELETE_HORIZON_BIT = 0x40

export const NO_TIMESTAMP = -1n
export const NO_PRODUCER_ID = -1n
export const NO_PRODUCER_EPOCH = -1
export const NO_SEQUENCE = -1
export const NO_LEADER_EPOCH = -1
