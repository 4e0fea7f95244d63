// Linux's own file calls: reads that do not wait, reserved blocks, fdatasync.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>

#include "file_unix.h"

#ifndef RWF_NOWAIT  // older headers; kernels know it since 4.14
#define RWF_NOWAIT 0x00000008
#endif

namespace plog::unix_file {

// Not all file systems have such files (EOPNOTSUPP), and a kernel that does not
// know them takes the flag for O_DIRECTORY (EISDIR).
int64_t open_unnamed(const char* directory) {
  return retrying([&] { return ::open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0640); });
}

// By way of /proc: to name a descriptor itself takes a privilege.
int64_t give_name(int fd, const char* path) {
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return ::linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

// By number: some C libraries have no wrapper. Positions fit 31 bits, so the
// upper half of the split offset is always 0.
int64_t read_cached_at(int fd, uint8_t* bytes, size_t length, int64_t position) {
  const iovec piece = {bytes, length};
  const int64_t got = retrying([&] {
    return ::syscall(SYS_preadv2, fd, &piece, 1L, static_cast<long>(position), 0L, RWF_NOWAIT);
  });
  return got == -ENOSYS || got == -EINVAL ? -EOPNOTSUPP : got;
}

int64_t reserve(int fd, int64_t length, Call* call) {
  *call = Call::fallocate;
  const int64_t error = retrying([&] { return ::fallocate(fd, 0, 0, length); });
  return error == -ENOSYS ? -EOPNOTSUPP : error;
}

int64_t sync_data(int fd) {
  return retrying([&] { return ::fdatasync(fd); });
}

int64_t sync_all(int fd) {
  return retrying([&] { return ::fsync(fd); });
}

// statx and not fstat: the latter would bind the binary to a recent libc.
bool is_directory(int fd) {
  struct statx facts;
  return ::statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &facts) == 0 && S_ISDIR(facts.stx_mode);
}

}  // namespace plog::unix_file
