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
      : file_(file), buffer_(buffer), capacity_(capacity), end_(end), wait_(wait) {}

  // End of what can be read: lower than asked for where the file was cut.
  int64_t end() const { return end_; }

  // Makes min(least, end - position) bytes at `position` available, reading
  // up to `ask`. Answers where they are; `status` says what failed.
  const uint8_t* at(int64_t position, size_t least, size_t ask, Status* status) {
    *status = kOk;
    const size_t need =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(least), end_ - position));
    if (position < start_ ||
        position + static_cast<int64_t>(need) > start_ + static_cast<int64_t>(length_)) {
      *status = load(position, ask);
    }
    return buffer_ + (position - start_);
  }

  // Bytes that are available from `position` on without reading.
  size_t available(int64_t position) const {
    return static_cast<size_t>(start_ + static_cast<int64_t>(length_) - position);
  }

 private:
  Status load(int64_t position, size_t ask) {
    start_ = position;
    length_ = 0;
    const size_t most = std::min(ask, capacity_);
    const size_t want =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(most), end_ - position));
    const Status status = file_.read(buffer_, want, position, &length_, wait_);
    if (status.ok() && length_ < want) end_ = position + static_cast<int64_t>(length_);
    return status;
  }

  const File& file_;
  uint8_t* buffer_;
  size_t capacity_;
  int64_t end_;
  Wait wait_;
  int64_t start_ = 0;
  size_t length_ = 0;
};

}  // namespace plog
