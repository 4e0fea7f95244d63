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

// 0, or -errno: EAGAIN or EACCES where another holds it.
int64_t lock(int fd);
// Before the descriptor is closed.
void unlock(int fd);
// The holder's process id where the system knows it, else 0.
int64_t holder(int fd);

}  // namespace plog::unix_lock
