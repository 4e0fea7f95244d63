// The files of a segment that is to come, made ahead of it: they have their
// lengths and no name, so that nobody finds them, and are gone with their last
// owner unless one is taken. To make a file takes ten times as long as to
// name it.
#pragma once

#include <array>
#include <memory>

#include "file.h"
#include "index_entry.h"

namespace plog {

class SpareFiles {
 public:
  enum Which : size_t { log, offset_index, time_index };

  // Null with a failing `status`, also where the system knows no such files.
  // Indexes get `capacity_bytes`, rounded down to whole entries.
  static std::unique_ptr<SpareFiles> make(const FileOps& ops, const char* directory,
                                          int64_t capacity_bytes, Status* status);

  static Which which(IndexKind kind) {
    return kind == IndexKind::offset ? offset_index : time_index;
  }

  // The file under its name from now on; null where it is taken already, or
  // cannot have that name: then there is none of it.
  std::shared_ptr<File> take(Which which, const char* path, int64_t* length);

 private:
  struct Spare {
    std::shared_ptr<File> file;
    int64_t length = 0;
  };

  std::array<Spare, 3> spares_;
};

}  // namespace plog
