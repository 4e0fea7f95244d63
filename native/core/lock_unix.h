// The part of a directory lock that differs between Linux and macOS.
#pragma once

#include <cstdint>

namespace plog::unix_lock {

// Which file a descriptor or a path means.
struct Identity {
  uint64_t device;
  uint64_t file;

  bool operator==(const Identity&) const = default;
};

bool identity_of(int fd, Identity* identity);
bool identity_of(const char* path, Identity* identity);

// True where this process is known to hold `path`; it must not be opened then.
bool held_here(const char* path);
// 0, or -errno: EAGAIN or EACCES where another holds it.
int64_t lock(int fd);
// Lets go of a lock that was taken, and closes.
void unlock_and_close(int fd);
// Closes a descriptor that did not get the lock.
void close_without_lock(int fd);

}  // namespace plog::unix_lock
