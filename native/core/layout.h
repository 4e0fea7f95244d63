// The one table of positions in the native half: where each field of a batch
// header and of an index entry lies. Its twin is lib/format/layout.ts; the
// loader compares the fingerprints of both before it trusts the addon.
//
//   magic 2            at          magic 0 / 1         at
//   base offset        0  int64    offset              0  int64
//   batch length       8  int32    message size        8  int32
//   leader epoch      12  int32    CRC-32             12  uint32
//   magic             16  int8     magic              16  int8
//   CRC-32C           17  uint32   attributes         17  int8
//   attributes        21  int16    timestamp (1)      18  int64
//   last offset delta 23  int32
//   base timestamp    27  int64
//   max timestamp     35  int64
//   producer id       43  int64
//   producer epoch    51  int16
//   base sequence     53  int32
//   record count      57  int32
//   records           61
#pragma once

#include <cstdint>
#include <string>

namespace plog::layout {

inline constexpr int kBaseOffsetAt = 0;
inline constexpr int kLengthAt = 8;
inline constexpr int kLeaderEpochAt = 12;
inline constexpr int kMagicAt = 16;
inline constexpr int kCrcAt = 17;
inline constexpr int kAttributesAt = 21;
inline constexpr int kLastOffsetDeltaAt = 23;
inline constexpr int kBaseTimestampAt = 27;
inline constexpr int kMaxTimestampAt = 35;
inline constexpr int kProducerIdAt = 43;
inline constexpr int kProducerEpochAt = 51;
inline constexpr int kBaseSequenceAt = 53;
inline constexpr int kRecordCountAt = 57;
inline constexpr int kRecordsAt = 61;

// Bytes before what the length field counts: offset and the length itself.
inline constexpr int kLogOverhead = 12;
inline constexpr int kHeaderSizeUpToMagic = 17;

inline constexpr int kLegacyCrcAt = 12;
inline constexpr int kLegacyAttributesAt = 17;
inline constexpr int kLegacyTimestampAt = 18;
inline constexpr int kLegacyV0Overhead = 26;
inline constexpr int kLegacyV1Overhead = 34;

// Least value of the length field, for any magic and for each.
inline constexpr int kMinLength = kLegacyV0Overhead - kLogOverhead;
inline constexpr int kMinLengthV1 = kLegacyV1Overhead - kLogOverhead;
inline constexpr int kMinLengthV2 = kRecordsAt - kLogOverhead;

inline constexpr int kOffsetEntrySize = 8;
inline constexpr int kTimeEntrySize = 12;

// Positions and sizes are below this everywhere in the format.
inline constexpr int64_t kMaxFileSize = 2147483647;

// The table as text: `name=position`, in the order above.
std::string fingerprint();

}  // namespace plog::layout
