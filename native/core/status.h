// How core functions fail: an error number and the call that gave it.
// The number is negative and in libuv's numbering (on POSIX: -errno), so that
// TypeScript turns it into 'ENOSPC' with one table on every platform.
#pragma once

#include <cstdint>

namespace plog {

// In the order of `kCallNames`; both go to TypeScript as they are.
enum class Call : int {
  none,
  open,
  read,
  write,
  ftruncate,
  fallocate,
  fdatasync,
  fsync,
  fstat,
  mmap,
  fcntl,
  unlink,
  allocate,
  thread,
  link,
  stat,
};

inline constexpr const char* kCallNames[] = {
    "none",  "open", "read",  "write",  "ftruncate", "fallocate", "fdatasync", "fsync",
    "fstat", "mmap", "fcntl", "unlink", "allocate",  "thread",    "link",      "stat",
};

struct [[nodiscard]] Status {
  int error = 0;
  Call call = Call::none;
  int64_t position = -1;  // of a read or write that failed

  bool ok() const { return error == 0; }
};

inline constexpr Status kOk{};

}  // namespace plog
