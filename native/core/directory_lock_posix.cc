// Taking and leaving a directory's lock on POSIX systems.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "directory_lock.h"
#include "file_unix.h"
#include "lock_unix.h"

namespace plog {

namespace {

using unix_file::retrying;

// A holder that stops removes the file; each time we may have locked a file
// that has just lost its name. More than a few times in a row is no accident.
constexpr int kTries = 100;

// For people and for error texts; the lock does not depend on it.
void write_pid(int fd) {
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%lld\n", static_cast<long long>(::getpid()));
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, text, static_cast<size_t>(length), 0) < length) {
    // A full disk: then the file says nothing, and the lock holds all the same.
  }
}

bool still_named(int fd, const char* path) {
  unix_lock::Identity opened, named;
  return unix_lock::identity_of(fd, &opened) && unix_lock::identity_of(path, &named) &&
         opened == named;
}

std::nullptr_t failed(int64_t error, Call call, LockOutcome* outcome) {
  outcome->answer = LockAnswer::failed;
  outcome->status = {static_cast<int>(error), call};
  return nullptr;
}

}  // namespace

std::unique_ptr<DirectoryLock> DirectoryLock::acquire(const char* path, LockOutcome* outcome) {
  outcome->answer = LockAnswer::held;
  if (unix_lock::held_here(path)) return nullptr;
  for (int i = 0; i < kTries; ++i) {
    const int64_t opened =
        retrying([&] { return ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640); });
    if (opened < 0) return failed(opened, Call::open, outcome);
    const int fd = static_cast<int>(opened);
    const int64_t error = unix_lock::lock(fd);
    if (error < 0) {
      unix_lock::close_without_lock(fd);
      const bool held = error == -EAGAIN || error == -EACCES;
      return held ? nullptr : failed(error, Call::fcntl, outcome);
    }
    if (still_named(fd, path)) {
      write_pid(fd);
      outcome->answer = LockAnswer::taken;
      return std::unique_ptr<DirectoryLock>(new DirectoryLock(fd));
    }
    unix_lock::unlock_and_close(fd);
  }
  return nullptr;
}

DirectoryLock::~DirectoryLock() { unix_lock::unlock_and_close(static_cast<int>(file_)); }

}  // namespace plog
