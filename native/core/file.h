// An open file: owned, shared by reference, and read or written in full.
// Closed with its last owner, so that work on a lane may outlive a handle.
#pragma once

#include <memory>

#include "file_ops.h"

namespace plog {

enum class Wait : bool { no = false, yes = true };

class File {
 public:
  // Null with a failing `status` where it cannot be opened.
  static std::shared_ptr<File> open(const FileOps& ops, const char* path, OpenMode mode,
                                    Status* status);

  // One that has no name yet.
  static std::shared_ptr<File> open_unnamed(const FileOps& ops, const char* directory,
                                            Status* status);

  File(const FileOps& ops, FileId id) : ops_(ops), id_(id) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Status give_name(const char* path) const;
  Status length(int64_t* length) const;
  // Fills `bytes` as far as the file goes; `*got` < `length` only at its end.
  Status read(uint8_t* bytes, size_t length, int64_t position, size_t* got,
              Wait wait = Wait::yes) const;
  Status write(const uint8_t* bytes, size_t length, int64_t position) const;
  Status write_zeros(size_t length, int64_t position) const;
  Status set_length(int64_t length) const;
  Status reserve(int64_t length) const;
  Status sync() const;

  const FileOps& ops() const { return ops_; }
  FileId id() const { return id_; }

 private:
  const FileOps& ops_;
  FileId id_;
};

}  // namespace plog
