// Facts of one batch header, of any magic, and the checks that need no more
// than the header. Bytes are never believed: sums are made in 64 bits or wrap.
#pragma once

#include <cstdint>

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

// Reads the header at `at`. `remaining` counts bytes up to the end of what is
// valid; min(remaining, kHeaderWindow) of them lie at `at`. Answers `found`
// with `header` filled, or why there is no batch here.
ScanStop read_header(const uint8_t* at, int64_t remaining, BatchHeader* header);

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

}  // namespace plog
