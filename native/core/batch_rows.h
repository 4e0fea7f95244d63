// Where a scan puts its rows: memory that its caller lends, five columns of
// int64, then nine of 32 bits, each as long as all of them have room, in the
// order that lib/backend/native/columns.ts reads them. Nothing is read back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch_header.h"

namespace plog {

class BatchRows {
 public:
  static constexpr size_t kBytesARow = 5 * sizeof(int64_t) + 9 * sizeof(int32_t);

  BatchRows() = default;
  // `memory` is aligned as an int64.
  BatchRows(void* memory, size_t length)
      : capacity_(length / kBytesARow),
        wide_(static_cast<int64_t*>(memory)),
        narrow_(reinterpret_cast<int32_t*>(wide_ + 5 * capacity_)) {}

  size_t count() const { return count_; }
  bool is_full() const { return count_ == capacity_; }

  // There is room.
  void add(const BatchHeader& header, int64_t position) {
    wide(0) = header.base_offset;
    wide(1) = header.last_offset;
    wide(2) = header.base_timestamp;
    wide(3) = header.max_timestamp;
    wide(4) = header.producer_id;
    narrow(0) = static_cast<int32_t>(position);
    narrow(1) = header.size;
    narrow(2) = header.magic;
    narrow(3) = header.attributes;
    narrow(4) = header.leader_epoch;
    narrow(5) = static_cast<int32_t>(header.crc);
    narrow(6) = header.count;
    narrow(7) = header.producer_epoch;
    narrow(8) = header.base_sequence;
    ++count_;
  }

 private:
  int64_t& wide(size_t column) { return wide_[column * capacity_ + count_]; }
  int32_t& narrow(size_t column) { return narrow_[column * capacity_ + count_]; }

  size_t capacity_ = 0;
  size_t count_ = 0;
  int64_t* wide_ = nullptr;
  int32_t* narrow_ = nullptr;
};

}  // namespace plog
