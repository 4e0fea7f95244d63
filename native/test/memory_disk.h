// A disk in memory behind `FileOps`: records every call that changes it, can
// fail the k-th of them, can be short in reads and writes, and can be full.
// Mappings are copies of exactly their length, so that a sanitizer sees any
// read beyond or after them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../core/file_ops.h"

namespace plog::test {

struct Disk {
  std::map<std::string, std::vector<uint8_t>> files;
  std::vector<std::string> paths;  // by FileId
  std::vector<std::string> trace;  // `pwrite log 0+61`
  int fail_at = -1;                // of the next changing calls, counted from 0
  int fail_with = 0;
  int fail_from = -1;             // that one and all later ones
  size_t most_a_call = SIZE_MAX;  // of bytes, as a signal would cut it
  size_t capacity = SIZE_MAX;     // of all files together
  bool cached = true;
  bool can_map = true;
  int mappings = 0;
  int open_files = 0;

  size_t used() const;
};

// The one disk of the test process; tests start with `reset_disk`.
Disk& disk();
Disk& reset_disk();
const FileOps& memory_file_ops();

}  // namespace plog::test
