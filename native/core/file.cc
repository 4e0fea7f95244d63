// Reads and writes in full over the system's, which may be short.
#include "file.h"

#include <algorithm>

#include "errors.h"

namespace plog {

namespace {

// Linux moves 2147479552 bytes a call at most, macOS refuses more than
// INT_MAX: a round number below both.
constexpr size_t kMostBytesACall = size_t{1} << 30;

Status failed(int64_t error, Call call, int64_t position = -1) {
  return {static_cast<int>(error), call, position};
}

}  // namespace

std::shared_ptr<File> File::open(const FileOps& ops, const char* path, OpenMode mode,
                                 Status* status) {
  FileId id;
  const int64_t error = ops.open(path, mode, &id);
  *status = error < 0 ? failed(error, Call::open) : kOk;
  return error < 0 ? nullptr : std::make_shared<File>(ops, id);
}

std::shared_ptr<File> File::open_unnamed(const FileOps& ops, const char* directory,
                                         Status* status) {
  FileId id;
  const int64_t error = ops.open_unnamed(directory, &id);
  *status = error < 0 ? failed(error, Call::open) : kOk;
  return error < 0 ? nullptr : std::make_shared<File>(ops, id);
}

// What close answers is of no use: durability is fsync's word.
File::~File() { ops_.close(id_); }

Status File::give_name(const char* path) const {
  const int64_t error = ops_.give_name(id_, path);
  return error < 0 ? failed(error, Call::link) : kOk;
}

Status File::length(int64_t* length) const {
  *length = ops_.length(id_);
  return *length < 0 ? failed(*length, Call::fstat) : kOk;
}

Status File::read(uint8_t* bytes, size_t length, int64_t position, size_t* got, Wait wait) const {
  const auto read_once = wait == Wait::yes ? ops_.read_at : ops_.read_cached_at;
  *got = 0;
  while (*got < length) {
    const size_t ask = std::min(length - *got, kMostBytesACall);
    const int64_t count = read_once(id_, bytes + *got, ask, position + static_cast<int64_t>(*got));
    if (count < 0) return failed(count, Call::read, position + static_cast<int64_t>(*got));
    if (count == 0) break;
    *got += static_cast<size_t>(count);
  }
  return kOk;
}

Status File::write(const uint8_t* bytes, size_t length, int64_t position) const {
  size_t done = 0;
  while (done < length) {
    const size_t ask = std::min(length - done, kMostBytesACall);
    const int64_t count =
        ops_.write_at(id_, bytes + done, ask, position + static_cast<int64_t>(done));
    // A write of nothing that is no error would be tried for ever.
    if (count <= 0) {
      return failed(count < 0 ? count : errors::kIo, Call::write,
                    position + static_cast<int64_t>(done));
    }
    done += static_cast<size_t>(count);
  }
  return kOk;
}

Status File::write_zeros(size_t length, int64_t position) const {
  static constexpr uint8_t kZeros[4096] = {};
  for (size_t done = 0; done < length;) {
    const size_t step = std::min(length - done, sizeof kZeros);
    const Status status = write(kZeros, step, position + static_cast<int64_t>(done));
    if (!status.ok()) return status;
    done += step;
  }
  return kOk;
}

Status File::set_length(int64_t length) const {
  const int64_t error = ops_.set_length(id_, length);
  return error < 0 ? failed(error, Call::ftruncate) : kOk;
}

Status File::reserve(int64_t length) const {
  Call call = Call::fallocate;
  const int64_t error = ops_.reserve(id_, length, &call);
  return error < 0 ? failed(error, call) : kOk;
}

Status File::sync() const {
  const int64_t error = ops_.sync_data(id_);
  return error < 0 ? failed(error, Call::fdatasync) : kOk;
}

}  // namespace plog
