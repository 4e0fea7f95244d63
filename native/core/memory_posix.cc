// Anonymous pages; large ones on Linux, where a map that is looked into at
// random would else wait for the page table at every look.
#include <sys/mman.h>

#include "memory.h"

namespace plog {

ZeroedMemory::ZeroedMemory(size_t length) : length_(length) {
  void* pages = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  data_ = pages == MAP_FAILED ? nullptr : pages;
#if defined(MADV_HUGEPAGE)
  // A hint: where there are no large pages, small ones serve.
  if (data_ != nullptr) static_cast<void>(madvise(data_, length, MADV_HUGEPAGE));
#endif
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) munmap(data_, length_);
}

}  // namespace plog
