// An `.index` or `.timeindex`: sorted entries, of which the first `entries`
// are in use and the rest, up to the file's length, is zero.
//
// Written by pwrite, so that a full disk is an error; read through a mapping
// that never reaches beyond the file's end and is gone before the file gets
// shorter. One thread only: a lane reads through `file()` and its own counts.
#pragma once

#include <memory>

#include "file.h"
#include "index_entry.h"
#include "spare_files.h"

namespace plog {

class IndexFile {
 public:
  // Null with a failing `status`. `capacity_bytes` is for `create` alone.
  // `may_map` only where the directory's lock keeps others from cutting it.
  static std::unique_ptr<IndexFile> open(const FileOps& ops, const char* path, IndexKind kind,
                                         OpenMode mode, int64_t capacity_bytes, bool may_map,
                                         Status* status);
  // An empty one at its full length, made ahead; null where it cannot have that name.
  static std::unique_ptr<IndexFile> from_spare(SpareFiles& spares, const char* path, IndexKind kind,
                                               bool may_map);
  ~IndexFile();
  IndexFile(const IndexFile&) = delete;
  IndexFile& operator=(const IndexFile&) = delete;

  IndexKind kind() const { return kind_; }
  int entry_size() const { return plog::entry_size(kind_); }
  int64_t entries() const { return entries_; }
  int64_t length() const { return length_; }
  int64_t capacity() const { return length_ / entry_size(); }
  const std::shared_ptr<File>& file() const { return file_; }

  // Whether an entry is read without asking the system.
  bool is_mapped() const { return address_ != nullptr; }

  // Writes whole entries behind the last. The caller has checked the room.
  // After a failure the file is as before, or `*damaged` is set.
  Status append(const uint8_t* bytes, int64_t length, bool* damaged);
  // Takes back the entries from `count` on: zeroes them, keeps the length. Of a
  // file opened for reading only the count changes.
  Status truncate(int64_t count);
  // 0 <= n < entries.
  Status entry(int64_t n, IndexEntry* entry);
  // Last entry whose key is at most `key`; `*n` is -1 where there is none.
  Status lookup(int64_t key, int64_t* n, IndexEntry* entry);
  Status resize(int64_t capacity_bytes);
  Status trim();

 private:
  IndexFile(std::shared_ptr<File> file, IndexKind kind, bool writable, bool may_map)
      : file_(std::move(file)), kind_(kind), writable_(writable), may_map_(may_map) {}

  Status zero_from(int64_t count);
  Status set_length(int64_t length);
  // The mapping, made on first use and again where the file has grown.
  const uint8_t* mapping();
  void unmap();

  std::shared_ptr<File> file_;
  IndexKind kind_;
  bool writable_;
  bool may_map_;
  int64_t entries_ = 0;
  int64_t length_ = 0;
  const uint8_t* address_ = nullptr;
  int64_t mapped_ = 0;
};

// Looks up through the file alone; what lanes use.
Status lookup_in_file(const File& file, IndexKind kind, int64_t entries, int64_t key, int64_t* n,
                      IndexEntry* entry);

}  // namespace plog
