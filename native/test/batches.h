// Batches made for tests: a header with the fields that matter, a payload of
// the asked size, and a right checksum.
#pragma once

#include <cstdint>
#include <vector>

#include "../core/batch_scan.h"
#include "../core/bytes.h"
#include "../core/crc.h"
#include "../core/layout.h"
#include "../core/translate.h"

namespace plog::test {

struct BatchSpec {
  int64_t base_offset = 0;
  int32_t last_offset_delta = 0;
  int32_t payload = 10;
  int64_t max_timestamp = 0;
};

inline void store_u64(uint8_t* at, uint64_t value) {
  store_u32(at, static_cast<uint32_t>(value >> 32));
  store_u32(at + 4, static_cast<uint32_t>(value));
}

inline void add_batch(std::vector<uint8_t>& bytes, const BatchSpec& spec) {
  using namespace layout;
  const size_t start = bytes.size();
  bytes.resize(start + static_cast<size_t>(kRecordsAt + spec.payload), 0x5a);
  uint8_t* at = bytes.data() + start;
  store_u64(at + kBaseOffsetAt, static_cast<uint64_t>(spec.base_offset));
  store_u32(at + kLengthAt, static_cast<uint32_t>(kMinLengthV2 + spec.payload));
  at[kMagicAt] = 2;
  store_u32(at + kLastOffsetDeltaAt, static_cast<uint32_t>(spec.last_offset_delta));
  store_u64(at + kMaxTimestampAt, static_cast<uint64_t>(spec.max_timestamp));
  const size_t covered = static_cast<size_t>(kRecordsAt + spec.payload - kAttributesAt);
  store_u32(at + kCrcAt, crc32c(0, at + kAttributesAt, covered));
}

// A message of magic 0 or 1 with null key and null value.
inline void add_legacy(std::vector<uint8_t>& bytes, int magic, int64_t offset, int64_t timestamp) {
  using namespace layout;
  const int size = magic == 0 ? kLegacyV0Overhead : kLegacyV1Overhead;
  const size_t start = bytes.size();
  bytes.resize(start + static_cast<size_t>(size), 0xff);
  uint8_t* at = bytes.data() + start;
  store_u64(at, static_cast<uint64_t>(offset));
  store_u32(at + kLengthAt, static_cast<uint32_t>(size - kLogOverhead));
  at[kMagicAt] = static_cast<uint8_t>(magic);
  at[kLegacyAttributesAt] = 0;
  if (magic == 1) store_u64(at + kLegacyTimestampAt, static_cast<uint64_t>(timestamp));
  store_u32(at + kLegacyCrcAt, crc32_ieee(0, at + kMagicAt, static_cast<size_t>(size - kMagicAt)));
}

// What a scan found, with its rows as structs again.
struct Scanned : ScanResult {
  std::vector<BatchHeader> batches;
  std::vector<int32_t> positions;
};

// A scan into memory for `most_rows`, to the last byte.
inline Status scan_into(const File& file, const ScanRequest& request, size_t most_rows,
                        Scanned* scanned) {
  const std::atomic<bool> running{false};
  std::vector<int64_t> memory((most_rows * BatchRows::kBytesARow + 7) / 8);
  memory.shrink_to_fit();
  BatchRows rows(memory.data(), most_rows * BatchRows::kBytesARow);
  const Status status = scan_batches(file, request, running, &rows, scanned);
  const auto* narrow = reinterpret_cast<const int32_t*>(memory.data() + 5 * most_rows);
  for (size_t i = 0; i < rows.count(); ++i) {
    const auto wide = [&](size_t n) { return memory[n * most_rows + i]; };
    const auto field = [&](size_t n) { return narrow[n * most_rows + i]; };
    scanned->batches.push_back({wide(0), wide(1), wide(2), wide(3), wide(4), field(1), field(2),
                                field(3), field(4), field(6), field(7), field(8),
                                static_cast<uint32_t>(field(5))});
    scanned->positions.push_back(field(0));
  }
  return status;
}

// `translate` with a window of its own.
inline Status translate_in(const LogView& log, int64_t target, int64_t from, Wait wait,
                           Translation* translation) {
  uint8_t buffer[kTranslateBytes];
  Window window(log.file, buffer, sizeof buffer, log.size, wait);
  return translate(log, target, from, 0, &window, translation);
}

}  // namespace plog::test
