// Making and naming files of a segment that is to come.
#include "spare_files.h"

#include <utility>

namespace plog {

std::unique_ptr<SpareFiles> SpareFiles::make(const FileOps& ops, const char* directory,
                                             int64_t capacity_bytes, Status* status) {
  auto spares = std::make_unique<SpareFiles>();
  for (const IndexKind kind : {IndexKind::offset, IndexKind::time})
    spares->spares_[which(kind)].length = capacity_bytes / entry_size(kind) * entry_size(kind);
  for (Spare& spare : spares->spares_) {
    spare.file = File::open_unnamed(ops, directory, status);
    if (spare.file && spare.length > 0) *status = spare.file->set_length(spare.length);
    if (!status->ok()) return nullptr;
  }
  return spares;
}

std::shared_ptr<File> SpareFiles::take(Which which, const char* path, int64_t* length) {
  Spare& spare = spares_[which];
  std::shared_ptr<File> file = std::exchange(spare.file, nullptr);
  if (!file || !file->give_name(path).ok()) return nullptr;
  *length = spare.length;
  return file;
}

}  // namespace plog
