// Reading entries of a file that is not mapped.
#include "index_entry.h"

#include <algorithm>

namespace plog {

IndexEntry FileEntries::at(int64_t n) {
  const int size = entry_size(kind_);
  if (n < first_ || n >= first_ + loaded_) {
    first_ = n - n % kBlockEntries;
    loaded_ = std::min(kBlockEntries, count_ - first_);
    const size_t bytes = static_cast<size_t>(loaded_ * size);
    size_t got = 0;
    const Status status = file_.read(block_, bytes, first_ * size, &got);
    if (!status.ok()) status_ = status;
    std::memset(block_ + got, 0, bytes - got);
  }
  return load_entry(kind_, block_ + (n - first_) * size);
}

}  // namespace plog
