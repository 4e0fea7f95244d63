// Record locks belong to the process: they keep out other processes and a
// broker's JVM, but not other threads, and closing any descriptor of the file
// lets go of them. Hence the one table of the process, which is asked before
// a file is opened.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

  bool has(const Identity& identity) const {
    return std::find(files.begin(), files.end(), identity) != files.end();
  }
};

// Never destroyed: worker threads may outlive static objects at exit.
Held& table() {
  static Held* const held = new Held;
  return *held;
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

bool held_here(const char* path) {
  Identity identity;
  if (!identity_of(path, &identity)) return false;
  const std::lock_guard<std::mutex> guard(table().mutex);
  return table().has(identity);
}

int64_t lock(int fd) {
  Identity identity;
  if (!identity_of(fd, &identity)) return -errno;
  const std::lock_guard<std::mutex> guard(table().mutex);
  if (table().has(identity)) return -EAGAIN;
  struct flock range = whole_file(F_WRLCK);
  const int64_t error = unix_file::retrying([&] { return ::fcntl(fd, F_SETLK, &range); });
  if (error == 0) table().files.push_back(identity);
  return error;
}

void unlock_and_close(int fd) {
  const std::lock_guard<std::mutex> guard(table().mutex);
  Identity identity;
  if (identity_of(fd, &identity)) std::erase(table().files, identity);
  ::close(fd);
}

// Another thread may have taken the lock since `held_here` was asked: then the
// descriptor stays open, since closing it would let go of that lock.
void close_without_lock(int fd) {
  const std::lock_guard<std::mutex> guard(table().mutex);
  Identity identity;
  if (identity_of(fd, &identity) && table().has(identity)) return;
  ::close(fd);
}

}  // namespace unix_lock

}  // namespace plog
