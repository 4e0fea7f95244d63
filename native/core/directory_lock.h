// The exclusive lock of a log directory, on its `.lock` file: the same kind of
// lock that a broker's JVM takes, so that each keeps the other out. Also keeps
// out other threads of this process. A file without a lock is no lock.
#pragma once

#include <cstdint>
#include <memory>

#include "status.h"

namespace plog {

enum class LockAnswer { taken, held, failed };

struct LockOutcome {
  LockAnswer answer = LockAnswer::failed;
  Status status;  // where it failed
};

class DirectoryLock {
 public:
  // Creates `path` if it is not there, locks it, makes sure that it is still
  // the file of that name, writes this process's id into it. Null unless the
  // outcome says `taken`.
  static std::unique_ptr<DirectoryLock> acquire(const char* path, LockOutcome* outcome);

  // Lets go. Removing the file is left to the caller, before that.
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  explicit DirectoryLock(intptr_t file) : file_(file) {}

  intptr_t file_;
};

// How this platform locks; shown to users in diagnostics.
const char* lock_kind();

}  // namespace plog
