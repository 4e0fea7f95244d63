// The two kinds of index entries in file form, and where entries are read
// from: mapped memory, or the file in blocks.
//
//   offset index   relative offset 0 int32, position 4 int32
//   time index     timestamp 0 int64, relative offset 8 int32
#pragma once

#include <cstdint>
#include <cstring>

#include "bytes.h"
#include "file.h"
#include "layout.h"

namespace plog {

enum class IndexKind : int { offset = 0, time = 1 };

struct IndexEntry {
  int64_t key;    // relative offset, or timestamp
  int32_t value;  // position, or relative offset
};

inline int entry_size(IndexKind kind) {
  return kind == IndexKind::offset ? layout::kOffsetEntrySize : layout::kTimeEntrySize;
}

inline IndexEntry load_entry(IndexKind kind, const uint8_t* at) {
  if (kind == IndexKind::offset) return {load_i32(at), load_i32(at + 4)};
  return {load_i64(at), load_i32(at + 8)};
}

struct MappedEntries {
  IndexKind kind;
  const uint8_t* bytes;

  IndexEntry at(int64_t n) { return load_entry(kind, bytes + n * entry_size(kind)); }
};

// Keeps the block last read, so that a search's last steps are one read.
// Bytes that the file lost meanwhile read as zero.
class FileEntries {
 public:
  FileEntries(IndexKind kind, const File& file, int64_t count)
      : kind_(kind), file_(file), count_(count) {}

  IndexEntry at(int64_t n);
  Status status() const { return status_; }

 private:
  static constexpr int64_t kBlockEntries = 341;  // 4 KB of the larger kind

  IndexKind kind_;
  const File& file_;
  int64_t count_;
  int64_t first_ = 0;
  int64_t loaded_ = 0;
  Status status_;
  uint8_t block_[kBlockEntries * layout::kTimeEntrySize];
};

}  // namespace plog
