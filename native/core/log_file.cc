// Appending with the index entries that come due, and cutting back.
#include "log_file.h"

#include <algorithm>

#include "bytes.h"
#include "crc.h"
#include "errors.h"
#include "layout.h"

namespace plog {

namespace {

void seal(uint8_t* batch, int64_t length) {
  const size_t covered = static_cast<size_t>(length - layout::kAttributesAt);
  store_u32(batch + layout::kCrcAt, crc32c(0, batch + layout::kAttributesAt, covered));
}

}  // namespace

std::unique_ptr<LogFile> LogFile::open(const FileOps& ops, const char* path, OpenMode mode,
                                       int64_t base_offset, int64_t preallocate, Status* status) {
  std::shared_ptr<File> file = File::open(ops, path, mode, status);
  if (!file) return nullptr;
  std::unique_ptr<LogFile> log(new LogFile(std::move(file), base_offset));
  if (mode == OpenMode::create) {
    if (preallocate > 0) *status = log->file_->reserve(preallocate);
    if (!status->ok()) ops.remove(path);
    log->length_ = preallocate;
  } else {
    *status = log->file_->length(&log->length_);
    if (status->ok() && log->length_ > layout::kMaxFileSize)
      *status = {errors::kFileTooBig, Call::open};
    log->size_ = log->length_;
  }
  return status->ok() ? std::move(log) : nullptr;
}

std::unique_ptr<LogFile> LogFile::from_spare(SpareFiles& spares, const char* path,
                                             int64_t base_offset) {
  int64_t length;
  std::shared_ptr<File> file = spares.take(SpareFiles::log, path, &length);
  if (!file) return nullptr;
  return std::unique_ptr<LogFile>(new LogFile(std::move(file), base_offset));
}

AppendOutcome LogFile::append(const Append& append, IndexFile* offset_index,
                              IndexFile* time_index) {
  if (append.seal) seal(append.bytes, append.length);
  const int64_t offset_count = offset_index == nullptr ? 0 : offset_index->entries();
  AppendOutcome outcome;
  outcome.status = file_->write(append.bytes, static_cast<size_t>(append.length), size_);
  if (outcome.status.ok() && offset_index != nullptr && append.offset_entries_length > 0) {
    outcome.part = AppendPart::offset_index;
    outcome.status =
        offset_index->append(append.offset_entries, append.offset_entries_length, &outcome.damaged);
  }
  if (outcome.status.ok() && time_index != nullptr && append.time_entries_length > 0) {
    outcome.part = AppendPart::time_index;
    outcome.status =
        time_index->append(append.time_entries, append.time_entries_length, &outcome.damaged);
  }
  if (outcome.status.ok()) {
    size_ += append.length;
    length_ = std::max(length_, size_);
    return outcome;
  }
  // Every step is tried, also after one that failed.
  if (!restore().ok()) outcome.damaged = true;
  if (offset_index != nullptr && !offset_index->truncate(offset_count).ok()) outcome.damaged = true;
  return outcome;
}

Status LogFile::truncate(int64_t size) {
  if (size < length_) {
    const Status status = file_->set_length(size);
    if (!status.ok()) return status;
  }
  size_ = size;
  length_ = size;
  return kOk;
}

// Drops what a failed write left behind; a preallocated tail is zero again.
Status LogFile::restore() {
  const Status status = file_->set_length(size_);
  return status.ok() && length_ > size_ ? file_->set_length(length_) : status;
}

}  // namespace plog
