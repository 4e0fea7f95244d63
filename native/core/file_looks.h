// What many files of a directory are like, asked for at once: a crossing and a
// promise for each would cost more than the answers.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "status.h"

namespace plog {

struct FileLook {
  double size;  // below 0 where there is no such file
  double modified_ms;
  double identity;  // its inode
};

// In the order of `names`, as many as there is memory for; ends with the first
// name that fails, or when it is cancelled. ENOTSUP where this is not written
// for the system.
Status look_at_files(const char* directory, const std::vector<std::string>& names,
                     const std::atomic<bool>& cancelled, std::vector<FileLook>* looks);

}  // namespace plog
