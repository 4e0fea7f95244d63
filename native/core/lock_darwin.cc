// Record locks belong to the process: they keep out other processes and a
// broker's JVM, but not other threads, and closing any descriptor of the file
// lets go of them. Hence the one table of the process: files locked here are
// refused before they are opened a second time... by their identity.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <vector>

#include "directory_lock.h"
#include "file_unix.h"
#include "lock_unix.h"

namespace plog {

const char* lock_kind() { return "record"; }

namespace unix_lock {

namespace {

struct Held {
  std::mutex mutex;
  std::vector<Identity> files;
};

// Never destroyed: worker threads may outlive static objects at exit.
Held& held_here() {
  static Held* const table = new Held;
  return *table;
}

struct flock whole_file(short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return range;
}

Identity identity_from(const struct stat& facts) {
  return {static_cast<uint64_t>(facts.st_dev), static_cast<uint64_t>(facts.st_ino)};
}

}  // namespace

bool identity_of(int fd, Identity* identity) {
  struct stat facts;
  if (::fstat(fd, &facts) != 0) return false;
  *identity = identity_from(facts);
  return true;
}

bool identity_of(const char* path, Identity* identity) {
  struct stat facts;
  if (::stat(path, &facts) != 0) return false;
  *identity = identity_from(facts);
  return true;
}

int64_t lock(int fd) {
  Identity identity;
  if (!identity_of(fd, &identity)) return -errno;
  Held& held = held_here();
  const std::lock_guard<std::mutex> guard(held.mutex);
  for (const Identity& other : held.files) {
    if (other == identity) return -EAGAIN;
  }
  struct flock range = whole_file(F_WRLCK);
  const int64_t error = unix_file::retrying([&] { return ::fcntl(fd, F_SETLK, &range); });
  if (error == 0) held.files.push_back(identity);
  return error;
}

void unlock(int fd) {
  Identity identity;
  if (!identity_of(fd, &identity)) return;
  Held& held = held_here();
  const std::lock_guard<std::mutex> guard(held.mutex);
  std::erase(held.files, identity);
}

int64_t holder(int fd) {
  struct flock range = whole_file(F_WRLCK);
  if (::fcntl(fd, F_GETLK, &range) != 0 || range.l_type == F_UNLCK) return 0;
  return range.l_pid;
}

}  // namespace unix_lock

}  // namespace plog
