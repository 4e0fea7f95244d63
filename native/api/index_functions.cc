// Native functions of an index file: index_open, index_append, index_entry,
// index_lookup, index_truncate, index_resize, index_trim, index_close.
#include "../core/layout.h"
#include "entry.h"

namespace plog::api {

namespace {

// A key for which there is no int32 is beyond every entry all the same.
constexpr int64_t kMost = layout::kMaxFileSize;

void answer_lengths(Environment& environment, const IndexFile& index) {
  environment.numbers[kLength] = static_cast<int32_t>(index.entries());
  environment.numbers[kCapacity] = static_cast<int32_t>(index.capacity());
  environment.numbers[kOddBytes] = static_cast<int32_t>(index.length() % index.entry_size());
}

// Answers a change of the file: what went wrong, and its lengths now.
napi_value changed(Environment& environment, const IndexFile& index, const Status& status) {
  environment.answer(status);
  answer_lengths(environment, index);
  return nullptr;
}

void answer_entry(Environment& environment, const IndexFile& index, const IndexEntry& entry) {
  if (index.kind() == IndexKind::offset) {
    environment.numbers[kIndexKey] = static_cast<int32_t>(entry.key);
  } else {
    environment.bigs[kTimestamp] = entry.key;
  }
  environment.numbers[kIndexValue] = entry.value;
}

// (path, kind, mode, capacityBytes, mayMap, spare?) -> handle
napi_value index_open(Environment& environment, const Arguments& arguments) {
  const std::string path = arguments.text(0);
  const auto kind = static_cast<IndexKind>(arguments.integer(1, 0, 1));
  const auto mode = static_cast<OpenMode>(arguments.integer(2, 0, 2));
  const int64_t capacity = arguments.position(3);
  const bool may_map = arguments.boolean(4) && mode != OpenMode::read;
  Status status;
  std::unique_ptr<IndexFile> index;
  if (!arguments.absent(5)) {
    SpareFiles& spares = object_of<SpareFiles>(environment, arguments, 5);
    index = IndexFile::from_spare(spares, path.c_str(), kind, may_map);
  }
  if (!index)
    index =
        IndexFile::open(system_file_ops(), path.c_str(), kind, mode, capacity, may_map, &status);
  environment.answer(status);
  if (!index) return nullptr;
  answer_lengths(environment, *index);
  return handle_of(environment, std::move(index));
}

// (index, entries)
napi_value index_append(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  const Bytes bytes = arguments.bytes(1);
  const int64_t length = static_cast<int64_t>(bytes.length);
  const bool fits = index.entries() + length / index.entry_size() <= index.capacity();
  if (length % index.entry_size() != 0 || !fits) {
    throw ArgumentFault{true, "index entries are not whole or have no room"};
  }
  bool damaged = false;
  const Status status = index.append(bytes.data, length, &damaged);
  environment.numbers[kDamaged] = damaged ? 1 : 0;
  return changed(environment, index, status);
}

// (index, n)
napi_value index_entry(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  IndexEntry entry{};
  environment.answer(index.entry(arguments.integer(1, 0, index.entries() - 1), &entry));
  answer_entry(environment, index, entry);
  return nullptr;
}

// (index, key); numbers[position] = the entry's number, -1 for none
napi_value index_lookup(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  const bool by_offset = index.kind() == IndexKind::offset;
  const int64_t key = by_offset ? arguments.integer(1, -kMost - 1, kMost) : arguments.bigint(1);
  IndexEntry entry{};
  int64_t n = -1;
  environment.answer(index.lookup(key, &n, &entry));
  environment.numbers[kPosition] = static_cast<int32_t>(n);
  answer_entry(environment, index, entry);
  return nullptr;
}

// (index, count)
napi_value index_truncate(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  return changed(environment, index, index.truncate(arguments.integer(1, 0, index.entries())));
}

// (index, capacityBytes)
napi_value index_resize(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  return changed(environment, index, index.resize(arguments.position(1)));
}

// (index)
napi_value index_trim(Environment& environment, const Arguments& arguments) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, 0);
  return changed(environment, index, index.trim());
}

// (index); tasks that use the file keep it open
napi_value index_close(Environment& environment, const Arguments& arguments) {
  object_of<IndexFile>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

constexpr Export kExports[] = {
    {"index_open", enter<index_open>},         {"index_append", enter<index_append>},
    {"index_entry", enter<index_entry>},       {"index_lookup", enter<index_lookup>},
    {"index_truncate", enter<index_truncate>}, {"index_resize", enter<index_resize>},
    {"index_trim", enter<index_trim>},         {"index_close", enter<index_close>},
};

}  // namespace

Exports index_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
