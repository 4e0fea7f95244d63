// Open-file-description locks: they and the JVM's record locks exclude each
// other, they exclude a second open in this process too, and no other
// descriptor's close lets go of them.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "directory_lock.h"
#include "file_unix.h"
#include "lock_unix.h"

namespace plog {

const char* lock_kind() { return "open file description"; }

namespace unix_lock {

namespace {

// The whole file, however long it gets; the pid must be 0 with these locks.
struct flock whole_file(short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return range;
}

bool identify(int fd, const char* path, int flags, Identity* identity) {
  struct statx facts;
  if (::statx(fd, path, flags, STATX_INO, &facts) != 0) return false;
  *identity = {makedev(facts.stx_dev_major, facts.stx_dev_minor), facts.stx_ino};
  return true;
}

}  // namespace

bool identity_of(int fd, Identity* identity) { return identify(fd, "", AT_EMPTY_PATH, identity); }

bool identity_of(const char* path, Identity* identity) {
  return identify(AT_FDCWD, path, 0, identity);
}

int64_t lock(int fd) {
  struct flock range = whole_file(F_WRLCK);
  return unix_file::retrying([&] { return ::fcntl(fd, F_OFD_SETLK, &range); });
}

// The kernel knows: a second open of ours is refused as any other's.
bool held_here(const char*) { return false; }

void unlock_and_close(int fd) { ::close(fd); }

void close_without_lock(int fd) { ::close(fd); }

}  // namespace unix_lock

}  // namespace plog
