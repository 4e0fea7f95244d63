// The exclusive lock of a log directory, on its `.lock` file: the same kind of
// lock that a broker's JVM takes, so that each keeps the other out. Also keeps
// out other threads of this process. A file without a lock is no lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "status.h"

namespace plog {

enum class LockAnswer { taken, held, failed };

struct LockOutcome {
  LockAnswer answer = LockAnswer::failed;
  Status status;           // where it failed
  int64_t holder_pid = 0;  // where it is held; 0: not known
};

class DirectoryLock {
 public:
  // Creates `path` if it is not there, locks it, writes this process's id
  // into it. Null unless the outcome says `taken`.
  static std::unique_ptr<DirectoryLock> acquire(const char* path, LockOutcome* outcome);

  // Removes the file, as a broker does when it stops, and lets go.
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  DirectoryLock(intptr_t file, const char* path) : file_(file), path_(path) {}

  intptr_t file_;
  std::string path_;
};

// How this platform locks; shown to users in diagnostics.
const char* lock_kind();

}  // namespace plog
