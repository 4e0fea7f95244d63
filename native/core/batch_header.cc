// Header checks, in the order that both backends keep: length, room, magic,
// the magic's own least length.
#include "batch_header.h"

#include "bytes.h"
#include "layout.h"

namespace plog {

using namespace layout;

namespace {

int least_length(int magic) {
  switch (magic) {
    case 0:
      return kMinLength;
    case 1:
      return kMinLengthV1;
    default:
      return kMinLengthV2;
  }
}

void read_v2(const uint8_t* at, BatchHeader* header) {
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

void read_legacy(const uint8_t* at, BatchHeader* header) {
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

}  // namespace

int BatchHeader::checksum_from() const { return magic == 2 ? kAttributesAt : kMagicAt; }

ScanStop read_header(const uint8_t* at, int64_t remaining, BatchHeader* header) {
  if (remaining < kHeaderSizeUpToMagic) return ScanStop::torn_header;
  const int32_t length = load_i32(at + kLengthAt);
  if (length < kMinLength) return ScanStop::bad_length;
  if (int64_t{length} + kLogOverhead > remaining) return ScanStop::torn_batch;
  const int magic = static_cast<int8_t>(at[kMagicAt]);
  if (magic < 0 || magic > 2) return ScanStop::bad_magic;
  if (length < least_length(magic)) return ScanStop::bad_length;
  header->base_offset = load_i64(at + kBaseOffsetAt);
  header->size = length + kLogOverhead;
  header->magic = magic;
  if (magic == 2) {
    read_v2(at, header);
  } else {
    read_legacy(at, header);
  }
  return ScanStop::found;
}

bool OffsetOrder::accept(const BatchHeader& header) {
  if (header.last_offset < header.base_offset) return false;
  if (header.base_offset < segment_base_) return false;
  if (any_ && header.last_offset <= last_offset_) return false;
  last_offset_ = header.last_offset;
  any_ = true;
  return true;
}

}  // namespace plog
