// Much memory of zeros that is given back as a whole: pages of the system, so
// that what is never touched costs nothing.
#pragma once

#include <cstddef>

namespace plog {

class ZeroedMemory {
 public:
  // `data()` is null where the system refuses.
  explicit ZeroedMemory(size_t length);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  void* data() const { return data_; }
  size_t length() const { return length_; }

 private:
  void* data_;
  size_t length_;
};

}  // namespace plog
