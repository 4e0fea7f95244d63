// A moving view of a file: bytes at any position, read in larger pieces.
// Holds no more than its buffer, whatever the file says about lengths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "file.h"

namespace plog {

class Window {
 public:
  // Reads [0, end) of `file` through `buffer`, which the caller keeps alive.
  Window(const File& file, uint8_t* buffer, size_t capacity, int64_t end, Wait wait)
      : file_(&file),
        buffer_(buffer),
        capacity_(capacity),
        asked_end_(end),
        end_(end),
        wait_(wait) {}

  // End of what can be read: lower than asked for where the file was cut.
  int64_t end() const { return end_; }

  // Whether `position` is the end that was asked for. Where a cut file ends is
  // not: bytes are missing there.
  bool is_end(int64_t position) const { return position >= asked_end_; }

  // Looks whether the file has all that was asked for, so that `end` says so
  // also where the bytes themselves are not read.
  Status look_for_cut() {
    int64_t length = 0;
    const Status status = file_->length(&length);
    if (status.ok()) end_ = std::min(end_, length);
    return status;
  }

  // Whether min(least, end - position) bytes at `position` are there already.
  bool holds(int64_t position, size_t least) const {
    const auto need = static_cast<int64_t>(readable(position, least));
    return position >= start_ && position + need <= start_ + static_cast<int64_t>(length_);
  }

  // Makes min(least, end - position) bytes at `position` available, reading
  // up to `ask`. Answers where they are; `status` says what failed.
  const uint8_t* at(int64_t position, size_t least, size_t ask, Status* status) {
    *status = kOk;
    if (!holds(position, least)) *status = load(position, ask);
    return buffer_ + (position - start_);
  }

  size_t capacity() const { return capacity_; }

  // Bytes that are available from `position` on without reading.
  size_t available(int64_t position) const {
    return static_cast<size_t>(start_ + static_cast<int64_t>(length_) - position);
  }

 private:
  // Of `length` bytes at `position`, those before the end.
  size_t readable(int64_t position, size_t length) const {
    const int64_t left = std::max<int64_t>(0, end_ - position);
    return static_cast<size_t>(std::min(static_cast<int64_t>(length), left));
  }

  Status load(int64_t position, size_t ask) {
    start_ = position;
    length_ = 0;
    const size_t want = readable(position, std::min(ask, capacity_));
    const Status status = file_->read(buffer_, want, position, &length_, wait_);
    if (status.ok() && length_ < want) end_ = position + static_cast<int64_t>(length_);
    return status;
  }

  const File* file_;
  uint8_t* buffer_;
  size_t capacity_;
  int64_t asked_end_;
  int64_t end_;
  Wait wait_;
  int64_t start_ = 0;
  size_t length_ = 0;
};

}  // namespace plog
