// A segment's `.log` behind a descriptor. Always true: `size` bytes from the
// start count, and an append that failed has left log and indexes as they
// were, or says `damaged`. One thread only; lanes use `file()` and a size.
#pragma once

#include <memory>

#include "file.h"
#include "index_file.h"
#include "spare_files.h"
#include "translate.h"

namespace plog {

// What one append writes. Room in log and indexes is the caller's to check.
struct Append {
  uint8_t* bytes;
  int64_t length;
  bool seal;  // one magic 2 batch: compute its checksum and store it first
  const uint8_t* offset_entries;
  int64_t offset_entries_length;
  const uint8_t* time_entries;
  int64_t time_entries_length;
};

enum class AppendPart : int { log = 0, offset_index = 1, time_index = 2 };

struct AppendOutcome {
  Status status;
  AppendPart part = AppendPart::log;  // that failed
  bool damaged = false;               // and could not be put back
};

class LogFile {
 public:
  // Null with a failing `status`. `preallocate` is for `create` alone.
  static std::unique_ptr<LogFile> open(const FileOps& ops, const char* path, OpenMode mode,
                                       int64_t base_offset, int64_t preallocate, Status* status);
  // An empty one, made ahead; null where it cannot have that name.
  static std::unique_ptr<LogFile> from_spare(SpareFiles& spares, const char* path,
                                             int64_t base_offset);

  int64_t base_offset() const { return base_offset_; }
  int64_t size() const { return size_; }
  const std::shared_ptr<File>& file() const { return file_; }
  LogView view() const { return {*file_, base_offset_, size_}; }

  // Log first, then the indexes: an entry never points at bytes not written.
  // An index may be null where it gets no entries.
  AppendOutcome append(const Append& append, IndexFile* offset_index, IndexFile* time_index);
  // 0 <= size <= size(). Also cuts a preallocated tail off.
  Status truncate(int64_t size);

 private:
  LogFile(std::shared_ptr<File> file, int64_t base_offset)
      : file_(std::move(file)), base_offset_(base_offset) {}

  Status restore();

  std::shared_ptr<File> file_;
  int64_t base_offset_;
  int64_t size_ = 0;
  int64_t length_ = 0;  // on disk: more than `size_` where it was preallocated
};

}  // namespace plog
