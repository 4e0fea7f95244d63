// The system's file calls on POSIX systems.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "errors.h"
#include "file_ops.h"
#include "file_unix.h"

namespace plog {

namespace errors {

const int kAgain = -EAGAIN;
const int kBadFile = -EBADF;
const int kExists = -EEXIST;
const int kFileTooBig = -EFBIG;
const int kIo = -EIO;
const int kIsDirectory = -EISDIR;
const int kNoMemory = -ENOMEM;
const int kNoSpace = -ENOSPC;
const int kNotSupported = -EOPNOTSUPP;

}  // namespace errors

namespace {

using unix_file::retrying;

int fd_of(FileId file) { return static_cast<int>(file); }

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::create:
      return O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
    case OpenMode::write:
      return O_RDWR | O_CLOEXEC;
    case OpenMode::read:
      break;
  }
  return O_RDONLY | O_CLOEXEC;
}

int64_t open_file(const char* path, OpenMode mode, FileId* file) {
  const int64_t fd = retrying([&] { return ::open(path, flags_of(mode), 0640); });
  if (fd < 0) return fd;
  if (unix_file::is_directory(static_cast<int>(fd))) {
    ::close(static_cast<int>(fd));
    return errors::kIsDirectory;
  }
  *file = static_cast<FileId>(fd);
  return 0;
}

int64_t open_unnamed(const char* directory, FileId* file) {
  const int64_t fd = unix_file::open_unnamed(directory);
  if (fd >= 0) *file = static_cast<FileId>(fd);
  return fd < 0 ? fd : 0;
}

int64_t give_name(FileId file, const char* path) { return unix_file::give_name(fd_of(file), path); }

// Never again after EINTR: the descriptor is gone, and may be another's.
int64_t close_file(FileId file) { return ::close(fd_of(file)) < 0 ? -errno : 0; }

// lseek and not fstat: the latter would bind the binary to a recent libc.
int64_t file_length(FileId file) {
  return retrying([&] { return ::lseek(fd_of(file), 0, SEEK_END); });
}

int64_t remove_file(const char* path) { return ::unlink(path) < 0 ? -errno : 0; }

int64_t read_at(FileId file, uint8_t* bytes, size_t length, int64_t position) {
  return retrying([&] { return ::pread(fd_of(file), bytes, length, position); });
}

int64_t read_cached_at(FileId file, uint8_t* bytes, size_t length, int64_t position) {
  return unix_file::read_cached_at(fd_of(file), bytes, length, position);
}

int64_t write_at(FileId file, const uint8_t* bytes, size_t length, int64_t position) {
  return retrying([&] { return ::pwrite(fd_of(file), bytes, length, position); });
}

int64_t set_length(FileId file, int64_t length) {
  return retrying([&] { return ::ftruncate(fd_of(file), length); });
}

int64_t reserve(FileId file, int64_t length, Call* call) {
  const int64_t error = unix_file::reserve(fd_of(file), length, call);
  if (error != errors::kNotSupported) return error;
  *call = Call::ftruncate;
  return set_length(file, length);
}

int64_t sync_data(FileId file) { return unix_file::sync_data(fd_of(file)); }

int64_t sync_path(const char* path, Call* call) {
  *call = Call::open;
  const int64_t fd = retrying([&] { return ::open(path, O_RDONLY | O_CLOEXEC); });
  if (fd < 0) return fd;
  *call = Call::fsync;
  const int64_t error = unix_file::sync_all(static_cast<int>(fd));
  ::close(static_cast<int>(fd));
  return error;
}

int64_t map_file(FileId file, size_t length, const uint8_t** address) {
  void* start = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd_of(file), 0);
  if (start == MAP_FAILED) return -errno;
  // Searches jump about: reading ahead would fill pages that nobody asks for.
  ::madvise(start, length, MADV_RANDOM);
  *address = static_cast<const uint8_t*>(start);
  return 0;
}

void unmap_file(const uint8_t* address, size_t length) {
  ::munmap(const_cast<uint8_t*>(address), length);
}

constexpr FileOps kSystem = {
    open_file,   close_file, open_unnamed,   give_name, file_length,
    remove_file, read_at,    read_cached_at, write_at,  set_length,
    reserve,     sync_data,  sync_path,      map_file,  unmap_file,
};

}  // namespace

const FileOps& system_file_ops() { return kSystem; }

}  // namespace plog
