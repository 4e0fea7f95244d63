// Pages of the system, committed at once: a failure shows here and not later.
#include <windows.h>

#include "memory.h"

namespace plog {

ZeroedMemory::ZeroedMemory(size_t length)
    : data_(VirtualAlloc(nullptr, length, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)),
      length_(length) {}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) VirtualFree(data_, 0, MEM_RELEASE);
}

}  // namespace plog
