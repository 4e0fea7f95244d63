// Facts of one batch header, of any magic, and the checks that need no more
// than the header. Bytes are never believed: sums are made in 64 bits or wrap.
// Here in full, for the loops that see millions a second.
#pragma once

#include <cstdint>

#include "bytes.h"
#include "layout.h"
#include "scan_stop.h"

namespace plog {

// For magic 0 and 1 the fields that they lack are -1 (see contract.ts).
struct BatchHeader {
  int64_t base_offset;
  int64_t last_offset;
  int64_t base_timestamp;
  int64_t max_timestamp;
  int64_t producer_id;
  int32_t size;  // whole batch, 12 + the length field
  int32_t magic;
  int32_t attributes;
  int32_t leader_epoch;
  int32_t count;
  int32_t producer_epoch;
  int32_t base_sequence;
  uint32_t crc;

  // First byte that the checksum covers, from the batch's start.
  int checksum_from() const;
};

// Bytes that `read_header` looks at, where the file has them.
inline constexpr int kHeaderWindow = 61;

namespace header_of {

using namespace layout;

inline int least_length(int magic) {
  switch (magic) {
    case 0:
      return kMinLength;
    case 1:
      return kMinLengthV1;
    default:
      return kMinLengthV2;
  }
}

inline void read_v2(const uint8_t* at, BatchHeader* header) {
  header->last_offset = wrapping_add(header->base_offset, load_i32(at + kLastOffsetDeltaAt));
  header->leader_epoch = load_i32(at + kLeaderEpochAt);
  header->crc = load_u32(at + kCrcAt);
  header->attributes = load_i16(at + kAttributesAt);
  header->base_timestamp = load_i64(at + kBaseTimestampAt);
  header->max_timestamp = load_i64(at + kMaxTimestampAt);
  header->producer_id = load_i64(at + kProducerIdAt);
  header->producer_epoch = load_i16(at + kProducerEpochAt);
  header->base_sequence = load_i32(at + kBaseSequenceAt);
  header->count = load_i32(at + kRecordCountAt);
}

inline void read_legacy(const uint8_t* at, BatchHeader* header) {
  header->last_offset = header->base_offset;
  header->leader_epoch = -1;
  header->crc = load_u32(at + kLegacyCrcAt);
  header->attributes = static_cast<int8_t>(at[kLegacyAttributesAt]);
  header->base_timestamp = header->magic == 1 ? load_i64(at + kLegacyTimestampAt) : -1;
  header->max_timestamp = header->base_timestamp;
  header->producer_id = -1;
  header->producer_epoch = -1;
  header->base_sequence = -1;
  header->count = 1;
}

}  // namespace header_of

inline int BatchHeader::checksum_from() const {
  return magic == 2 ? layout::kAttributesAt : layout::kMagicAt;
}

// The checks come in the order that both backends keep: length, room, magic,
// the magic's own least length.
//
// Reads the header at `at`. `remaining` counts bytes up to the end of what is
// valid; min(remaining, kHeaderWindow) of them lie at `at`. Answers `found`
// with `header` filled, or why there is no batch here.
inline ScanStop read_header(const uint8_t* at, int64_t remaining, BatchHeader* header) {
  using namespace layout;
  if (remaining < kHeaderSizeUpToMagic) return ScanStop::torn_header;
  const int32_t length = load_i32(at + kLengthAt);
  if (length < kMinLength) return ScanStop::bad_length;
  if (int64_t{length} + kLogOverhead > remaining) return ScanStop::torn_batch;
  const int magic = static_cast<int8_t>(at[kMagicAt]);
  if (magic < 0 || magic > 2) return ScanStop::bad_magic;
  if (length < header_of::least_length(magic)) return ScanStop::bad_length;
  header->base_offset = load_i64(at + kBaseOffsetAt);
  header->size = length + kLogOverhead;
  header->magic = magic;
  if (magic == 2) {
    header_of::read_v2(at, header);
  } else {
    header_of::read_legacy(at, header);
  }
  return ScanStop::found;
}

// Offsets of a walk must lie in the segment and rise from batch to batch.
class OffsetOrder {
 public:
  explicit OffsetOrder(int64_t segment_base) : segment_base_(segment_base) {}

  // False where `header` breaks the order; else remembers it.
  bool accept(const BatchHeader& header);

 private:
  int64_t segment_base_;
  int64_t last_offset_ = 0;
  bool any_ = false;
};

inline bool OffsetOrder::accept(const BatchHeader& header) {
  if (header.last_offset < header.base_offset) return false;
  if (header.base_offset < segment_base_) return false;
  if (any_ && header.last_offset <= last_offset_) return false;
  last_offset_ = header.last_offset;
  any_ = true;
  return true;
}

}  // namespace plog
