// Records of magic 2 for tests, sound ones and such as are longer than need be.
#pragma once

#include <vector>

#include "../core/record_parse.h"
#include "harness.h"

namespace plog::test {

inline void add_varint(std::vector<uint8_t>& bytes, int64_t value, int pad = 1) {
  uint64_t rest = zigzag(value);
  for (int n = 1; rest > 0x7f || n < pad; ++n, rest >>= 7)
    bytes.push_back(static_cast<uint8_t>(rest | 0x80));
  bytes.push_back(static_cast<uint8_t>(rest));
}

struct RecordOf {
  int64_t timestamp_delta = 0;
  int32_t offset_delta = 0;
  int32_t key_size = -1;
  int32_t value_size = -1;
  int32_t headers = 0;
  int pad = 1;  // least bytes of a number
  uint8_t fill = 'f';
};

inline void add_field(std::vector<uint8_t>& bytes, int32_t size, const RecordOf& record) {
  add_varint(bytes, size, record.pad);
  for (int32_t n = 0; n < size; ++n) bytes.push_back(record.fill);
}

inline void add_record(std::vector<uint8_t>& bytes, const RecordOf& record) {
  std::vector<uint8_t> body = {0};
  add_varint(body, record.timestamp_delta, record.pad);
  add_varint(body, record.offset_delta, record.pad);
  add_field(body, record.key_size, record);
  add_field(body, record.value_size, record);
  add_varint(body, record.headers, record.pad);
  for (int32_t n = 0; n < record.headers; ++n) {
    add_field(body, n, record);
    add_field(body, n - 1, record);
  }
  add_varint(bytes, static_cast<int64_t>(body.size()), record.pad);
  bytes.insert(bytes.end(), body.begin(), body.end());
}

// Columns with their memory, of exactly so many bytes.
struct OwnColumns {
  explicit OwnColumns(size_t rows)
      : length(RecordColumns::kBytesBefore + rows * RecordColumns::kBytesARow),
        memory(std::calloc(1, length)),
        columns(memory, length) {}
  ~OwnColumns() { std::free(memory); }
  OwnColumns(const OwnColumns&) = delete;
  OwnColumns& operator=(const OwnColumns&) = delete;

  size_t length;
  void* memory;
  RecordColumns columns;
};

}  // namespace plog::test
