// The memory of JavaScript's RecordColumns: one block, laid out as in
// lib/backend/record-columns.ts. Whoever has it can have written anything
// there: a row is believed only after a look at the bytes that it is of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plog {

struct RecordColumns {
  int64_t capacity = 0;
  int64_t* largest_timestamp_delta = nullptr;
  int64_t* offsets = nullptr;
  int64_t* timestamp_deltas = nullptr;
  int32_t* positions = nullptr;
  int32_t* ends = nullptr;
  int32_t* key_positions = nullptr;
  int32_t* key_sizes = nullptr;
  int32_t* value_sizes = nullptr;
  uint8_t* superseded = nullptr;
  uint8_t* keep = nullptr;

  static constexpr size_t kBytesBefore = sizeof(int64_t);
  static constexpr size_t kBytesARow = 2 * sizeof(int64_t) + 5 * sizeof(int32_t) + 2;

  // `memory` is aligned as an int64; the capacity is what `length` holds.
  RecordColumns(void* memory, size_t length) {
    if (length < kBytesBefore) return;
    const size_t rows = (length - kBytesBefore) / kBytesARow;
    capacity = static_cast<int64_t>(rows);
    largest_timestamp_delta = static_cast<int64_t*>(memory);
    offsets = largest_timestamp_delta + 1;
    timestamp_deltas = offsets + rows;
    positions = reinterpret_cast<int32_t*>(timestamp_deltas + rows);
    ends = positions + rows;
    key_positions = ends + rows;
    key_sizes = key_positions + rows;
    value_sizes = key_sizes + rows;
    superseded = reinterpret_cast<uint8_t*>(value_sizes + rows);
    keep = superseded + rows;
  }
};

// Rows [from, from + count), which lie within the columns.
struct Rows {
  int64_t from;
  int64_t count;
};

}  // namespace plog
