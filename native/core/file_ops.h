// Every system call on files, as one table of functions. The system's own
// table is `system_file_ops()` (file_posix.cc, file_windows.cc); a test build
// hands in another that records calls, shortens or fails them.
//
// An answer below zero is an error in libuv's numbering. Reads and writes may
// be short, as the system's are; file.h has those that are not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "status.h"

namespace plog {

using FileId = intptr_t;

// Numbers are those of TypeScript's `OpenMode` table.
enum class OpenMode : int { create = 0, write = 1, read = 2 };

struct FileOps {
  // `create` fails where the file is there and gives permissions 0640.
  int64_t (*open)(const char* path, OpenMode mode, FileId* file);
  int64_t (*close)(FileId file);
  // A new file of the directory's file system, empty and without a name, and
  // its name, given once: EEXIST where another has it. ENOTSUP where the system
  // knows no such files.
  int64_t (*open_unnamed)(const char* directory, FileId* file);
  int64_t (*give_name)(FileId file, const char* path);
  int64_t (*length)(FileId file);
  int64_t (*remove)(const char* path);

  int64_t (*read_at)(FileId file, uint8_t* bytes, size_t length, int64_t position);
  // As `read_at`, but EAGAIN instead of waiting for a disk; ENOTSUP where the
  // system cannot tell.
  int64_t (*read_cached_at)(FileId file, uint8_t* bytes, size_t length, int64_t position);
  int64_t (*write_at)(FileId file, const uint8_t* bytes, size_t length, int64_t position);

  int64_t (*set_length)(FileId file, int64_t length);
  // Gives the file `length` bytes with blocks behind them where the file
  // system can, else as `set_length`. `call` names what failed.
  int64_t (*reserve)(FileId file, int64_t length, Call* call);

  // Data, and the length if it changed, are on the disk when this returns.
  int64_t (*sync_data)(FileId file);
  // The same for a directory's entries, or for a file that is not open.
  int64_t (*sync_path)(const char* path, Call* call);

  // Read-only view of [0, length); null in `address` where there is none.
  int64_t (*map)(FileId file, size_t length, const uint8_t** address);
  void (*unmap)(const uint8_t* address, size_t length);
};

const FileOps& system_file_ops();

}  // namespace plog
