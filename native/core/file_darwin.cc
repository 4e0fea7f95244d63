// macOS's own file calls. Its fsync leaves data in the drive's cache, so a
// flush is F_FULLFSYNC, with fsync for file systems that do not know it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_looks.h"
#include "file_unix.h"

namespace plog::unix_file {

int64_t open_unnamed(const char*) { return -EOPNOTSUPP; }

int64_t give_name(int, const char*) { return -EOPNOTSUPP; }

int64_t read_cached_at(int, uint8_t*, size_t, int64_t) { return -EOPNOTSUPP; }

int64_t reserve(int, int64_t, Call*) { return -EOPNOTSUPP; }

int64_t sync_all(int fd) {
  const int64_t error = retrying([&] { return ::fcntl(fd, F_FULLFSYNC); });
  if (error != -ENOTSUP && error != -EOPNOTSUPP && error != -EINVAL && error != -ENOTTY)
    return error;
  return retrying([&] { return ::fsync(fd); });
}

int64_t sync_data(int fd) { return sync_all(fd); }

bool is_directory(int fd) {
  struct stat facts;
  return ::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode);
}

}  // namespace plog::unix_file

namespace plog {

// Left to Node.
Status look_at_files(const char*, const std::vector<std::string>&, const std::atomic<bool>&,
                     std::vector<FileLook>*) {
  return {-EOPNOTSUPP, Call::stat};
}

}  // namespace plog
