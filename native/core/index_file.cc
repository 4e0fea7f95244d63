// Lengths, mapping and lookups of an index file.
#include "index_file.h"

#include <algorithm>
#include <utility>

#include "errors.h"
#include "index_search.h"

namespace plog {

namespace {

template <class Entries>
int64_t search(Entries& entries, IndexKind kind, int64_t count, int64_t key, IndexEntry* entry) {
  const auto key_at = [&](int64_t n) { return entries.at(n).key; };
  const int64_t n = search_index(key_at, count, entry_size(kind), key);
  if (n >= 0) *entry = entries.at(n);
  return n;
}

}  // namespace

std::unique_ptr<IndexFile> IndexFile::open(const FileOps& ops, const char* path, IndexKind kind,
                                           OpenMode mode, int64_t capacity_bytes, bool may_map,
                                           Status* status) {
  std::shared_ptr<File> file = File::open(ops, path, mode, status);
  if (!file) return nullptr;
  std::unique_ptr<IndexFile> index(
      new IndexFile(std::move(file), kind, mode != OpenMode::read, may_map));
  if (mode == OpenMode::create) {
    *status = index->resize(capacity_bytes);
    // A file without its length would be taken for a full index by the next open.
    if (!status->ok()) ops.remove(path);
  } else {
    *status = index->file_->length(&index->length_);
    if (status->ok() && index->length_ > layout::kMaxFileSize)
      *status = {errors::kFileTooBig, Call::open};
    index->entries_ = index->capacity();
  }
  return status->ok() ? std::move(index) : nullptr;
}

std::unique_ptr<IndexFile> IndexFile::from_spare(SpareFiles& spares, const char* path,
                                                 IndexKind kind, bool may_map) {
  int64_t length;
  std::shared_ptr<File> file = spares.take(SpareFiles::which(kind), path, &length);
  if (!file) return nullptr;
  std::unique_ptr<IndexFile> index(new IndexFile(std::move(file), kind, true, may_map));
  index->length_ = length;
  return index;
}

IndexFile::~IndexFile() { unmap(); }

Status IndexFile::append(const uint8_t* bytes, int64_t length, bool* damaged) {
  const Status status = file_->write(bytes, static_cast<size_t>(length), entries_ * entry_size());
  if (status.ok()) {
    entries_ += length / entry_size();
  } else if (!zero_from(entries_).ok()) {
    *damaged = true;
  }
  return status;
}

Status IndexFile::truncate(int64_t count) {
  if (count == entries_) return kOk;
  const Status status = writable_ ? zero_from(count) : kOk;
  if (status.ok()) entries_ = count;
  return status;
}

Status IndexFile::entry(int64_t n, IndexEntry* entry) {
  if (const uint8_t* bytes = mapping()) {
    *entry = MappedEntries{kind_, bytes}.at(n);
    return kOk;
  }
  FileEntries entries(kind_, *file_, entries_);
  *entry = entries.at(n);
  return entries.status();
}

Status IndexFile::lookup(int64_t key, int64_t* n, IndexEntry* entry) {
  const uint8_t* bytes = mapping();
  if (bytes == nullptr) return lookup_in_file(*file_, kind_, entries_, key, n, entry);
  MappedEntries entries{kind_, bytes};
  *n = search(entries, kind_, entries_, key, entry);
  return kOk;
}

Status IndexFile::resize(int64_t capacity_bytes) {
  const int64_t capacity = std::max(entries_, capacity_bytes / entry_size());
  return set_length(capacity * entry_size());
}

Status IndexFile::trim() { return set_length(entries_ * entry_size()); }

// Cutting and growing needs no space, so it works on a full disk as well.
Status IndexFile::zero_from(int64_t count) {
  unmap();
  const Status status = file_->set_length(count * entry_size());
  return status.ok() ? file_->set_length(length_) : status;
}

Status IndexFile::set_length(int64_t length) {
  if (length == length_) return kOk;
  unmap();
  // Bytes behind the last entry, of an append that was torn, are not to become one.
  Status status = kOk;
  const int64_t used = entries_ * entry_size();
  if (length > length_ && length_ % entry_size() != 0) status = file_->set_length(used);
  if (status.ok()) status = file_->set_length(length);
  if (status.ok()) length_ = length;
  return status;
}

const uint8_t* IndexFile::mapping() {
  if (address_ != nullptr) return address_;
  if (!may_map_ || length_ == 0) return nullptr;
  // Where the system has no more mappings to give, reading serves as well.
  if (file_->ops().map(file_->id(), static_cast<size_t>(length_), &address_) < 0)
    address_ = nullptr;
  mapped_ = address_ == nullptr ? 0 : length_;
  return address_;
}

void IndexFile::unmap() {
  if (address_ != nullptr) file_->ops().unmap(address_, static_cast<size_t>(mapped_));
  address_ = nullptr;
}

Status lookup_in_file(const File& file, IndexKind kind, int64_t entries, int64_t key, int64_t* n,
                      IndexEntry* entry) {
  FileEntries source(kind, file, entries);
  *n = search(source, kind, entries, key, entry);
  return source.status();
}

}  // namespace plog
