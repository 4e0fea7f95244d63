// The calls of the disk in memory.
#include "memory_disk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plog::test {

namespace {

std::vector<uint8_t>& bytes_of(FileId file) {
  return disk().files[disk().paths[static_cast<size_t>(file)]];
}

// Notes a changing call; below 0 where it is to fail.
int changing(const std::string& call) {
  Disk& d = disk();
  d.trace.push_back(call);
  const int n = static_cast<int>(d.trace.size()) - 1;
  return n == d.fail_at || (d.fail_from >= 0 && n >= d.fail_from) ? d.fail_with : 0;
}

std::string describe(const char* call, FileId file, int64_t position, int64_t length) {
  const std::string& path = disk().paths[static_cast<size_t>(file)];
  return std::string(call) + " " + path + " " + std::to_string(position) + "+" +
         std::to_string(length);
}

int64_t open_file(const char* path, OpenMode mode, FileId* file) {
  Disk& d = disk();
  const bool there = d.files.contains(path);
  if (mode != OpenMode::create && !there) return -ENOENT;
  if (mode == OpenMode::create) d.files[path].clear();
  d.paths.push_back(path);
  ++d.open_files;
  *file = static_cast<FileId>(d.paths.size() - 1);
  return 0;
}

int64_t open_unnamed(const char*, FileId* file) {
  if (const int error = changing("open unnamed")) return error;
  const std::string path = "unnamed " + std::to_string(disk().paths.size());
  return open_file(path.c_str(), OpenMode::create, file);
}

int64_t give_name(FileId file, const char* path) {
  Disk& d = disk();
  if (const int error = changing(std::string("link ") + path)) return error;
  if (d.files.contains(path)) return -EEXIST;
  std::string& old = d.paths[static_cast<size_t>(file)];
  d.files[path] = std::move(d.files[old]);
  d.files.erase(old);
  old = path;
  return 0;
}

int64_t close_file(FileId) {
  --disk().open_files;
  return 0;
}

int64_t file_length(FileId file) { return static_cast<int64_t>(bytes_of(file).size()); }

int64_t remove_file(const char* path) {
  disk().files.erase(path);
  return 0;
}

int64_t read_at(FileId file, uint8_t* bytes, size_t length, int64_t position) {
  const auto& content = bytes_of(file);
  if (position < 0) return -EINVAL;
  if (static_cast<size_t>(position) >= content.size()) return 0;
  const size_t count =
      std::min({length, content.size() - static_cast<size_t>(position), disk().most_a_call});
  std::memcpy(bytes, content.data() + position, count);
  return static_cast<int64_t>(count);
}

int64_t read_cached_at(FileId file, uint8_t* bytes, size_t length, int64_t position) {
  return disk().cached ? read_at(file, bytes, length, position) : -EAGAIN;
}

int64_t write_at(FileId file, const uint8_t* bytes, size_t length, int64_t position) {
  if (const int error = changing(describe("pwrite", file, position, static_cast<int64_t>(length))))
    return error;
  auto& content = bytes_of(file);
  size_t count = std::min(length, disk().most_a_call);
  const size_t end = static_cast<size_t>(position) + count;
  if (end > content.size()) {
    const size_t room = disk().capacity - std::min(disk().capacity, disk().used());
    const size_t grow = std::min(end - content.size(), room);
    if (content.size() + grow <= static_cast<size_t>(position)) return -ENOSPC;
    count = content.size() + grow - static_cast<size_t>(position);
    content.resize(content.size() + grow);
  }
  std::memcpy(content.data() + position, bytes, count);
  return static_cast<int64_t>(count);
}

int64_t set_length(FileId file, int64_t length) {
  if (const int error = changing(describe("ftruncate", file, 0, length))) return error;
  bytes_of(file).resize(static_cast<size_t>(length));
  return 0;
}

int64_t reserve(FileId file, int64_t length, Call* call) {
  *call = Call::fallocate;
  return set_length(file, length);
}

int64_t sync_data(FileId file) { return changing(describe("fdatasync", file, 0, 0)); }

int64_t sync_path(const char* path, Call* call) {
  *call = Call::fsync;
  return changing(std::string("fsync ") + path);
}

int64_t map_file(FileId file, size_t length, const uint8_t** address) {
  if (!disk().can_map) return -ENOMEM;
  const auto& content = bytes_of(file);
  if (length > content.size()) return -EINVAL;  // never beyond the file's end
  auto* copy = new uint8_t[length];
  std::memcpy(copy, content.data(), length);
  *address = copy;
  ++disk().mappings;
  return 0;
}

void unmap_file(const uint8_t* address, size_t) {
  delete[] address;
  --disk().mappings;
}

constexpr FileOps kMemory = {
    open_file,   close_file, open_unnamed,   give_name, file_length,
    remove_file, read_at,    read_cached_at, write_at,  set_length,
    reserve,     sync_data,  sync_path,      map_file,  unmap_file,
};

Disk the_disk;

}  // namespace

size_t Disk::used() const {
  size_t sum = 0;
  for (const auto& [path, content] : files) sum += content.size();
  return sum;
}

Disk& disk() { return the_disk; }

Disk& reset_disk() { return the_disk = Disk{}; }

const FileOps& memory_file_ops() { return kMemory; }

}  // namespace plog::test
