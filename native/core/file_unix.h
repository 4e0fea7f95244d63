// The part of file_posix.cc that differs between Linux and macOS; defined in
// file_linux.cc and file_darwin.cc. Answers are -errno or a count, after EINTR.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "status.h"

namespace plog::unix_file {

int64_t open_unnamed(const char* directory);
int64_t give_name(int fd, const char* path);
int64_t read_cached_at(int fd, uint8_t* bytes, size_t length, int64_t position);
int64_t reserve(int fd, int64_t length, Call* call);
int64_t sync_data(int fd);
int64_t sync_all(int fd);
// Opening one for reading is no error to the system.
bool is_directory(int fd);

// Calls again while a signal interrupts; -errno where the answer is below 0.
template <class Function>
int64_t retrying(Function function) {
  for (;;) {
    const auto answer = function();
    if (answer >= 0) return static_cast<int64_t>(answer);
    if (errno != EINTR) return -static_cast<int64_t>(errno);
  }
}

}  // namespace plog::unix_file
