// Native functions of a log file: log_open, log_append, log_truncate,
// log_read_into, log_close.
#include <algorithm>

#include "../core/layout.h"
#include "entry.h"

namespace plog::api {

namespace {

constexpr int64_t kMost = layout::kMaxFileSize;

// (path, mode, baseOffset, preallocateBytes, spare?) -> handle; numbers[length] = valid size
napi_value log_open(Environment& environment, const Arguments& arguments) {
  const std::string path = arguments.text(0);
  const auto mode = static_cast<OpenMode>(arguments.integer(1, 0, 2));
  const int64_t base_offset = arguments.bigint(2);
  const int64_t preallocate = arguments.position(3);
  Status status;
  std::unique_ptr<LogFile> log;
  if (!arguments.absent(4)) {
    SpareFiles& spares = object_of<SpareFiles>(environment, arguments, 4);
    log = LogFile::from_spare(spares, path.c_str(), base_offset);
  }
  if (!log)
    log = LogFile::open(system_file_ops(), path.c_str(), mode, base_offset, preallocate, &status);
  environment.answer(status);
  if (!log) return nullptr;
  environment.numbers[kLength] = static_cast<int32_t>(log->size());
  return handle_of(environment, std::move(log));
}

// Whole entries for which `index` has room.
Bytes entries_for(const IndexFile& index, const Arguments& arguments, size_t i) {
  if (arguments.absent(i)) return {};
  const Bytes bytes = arguments.bytes(i);
  const size_t size = static_cast<size_t>(index.entry_size());
  const bool fits = index.entries() + static_cast<int64_t>(bytes.length / size) <= index.capacity();
  if (bytes.length % size != 0 || !fits)
    throw ArgumentFault{true, "index entries are not whole or have no room"};
  return bytes;
}

Append append_of(const LogFile& log, const Arguments& arguments) {
  const Bytes bytes = arguments.bytes(1);
  const bool seal = arguments.boolean(3);
  const int64_t least = seal ? layout::kRecordsAt : 0;
  const int64_t length =
      arguments.integer(2, least, std::min(static_cast<int64_t>(bytes.length), kMost - log.size()));
  return {bytes.data, length, seal, nullptr, 0, nullptr, 0};
}

// (log, bytes, length, seal [, offsetIndex, timeIndex, offsetEntries?, timeEntries?])
napi_value log_append(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  Append append = append_of(log, arguments);
  IndexFile* offset_index = nullptr;
  IndexFile* time_index = nullptr;
  if (arguments.count() > 4) {
    offset_index = &index_of_kind(environment, arguments, 4, IndexKind::offset);
    time_index = &index_of_kind(environment, arguments, 5, IndexKind::time);
    const Bytes offset_entries = entries_for(*offset_index, arguments, 6);
    const Bytes time_entries = entries_for(*time_index, arguments, 7);
    append.offset_entries = offset_entries.data;
    append.offset_entries_length = static_cast<int64_t>(offset_entries.length);
    append.time_entries = time_entries.data;
    append.time_entries_length = static_cast<int64_t>(time_entries.length);
  }
  const AppendOutcome outcome = log.append(append, offset_index, time_index);
  environment.answer(outcome.status);
  environment.numbers[kPart] = static_cast<int32_t>(outcome.part);
  environment.numbers[kDamaged] = outcome.damaged ? 1 : 0;
  return nullptr;
}

// (log, sizeInBytes); the present size cuts a preallocated tail off
napi_value log_truncate(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  environment.answer(log.truncate(arguments.integer(1, 0, log.size())));
  return nullptr;
}

// (log, target, position, wait); numbers[length] = bytes read, numbers[start] = -1 where it would
// have to wait
napi_value log_read_into(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  const Bytes target = arguments.bytes(1);
  const int64_t position = arguments.position(2);
  const Wait wait = arguments.boolean(3) ? Wait::yes : Wait::no;
  const int64_t most = std::min(static_cast<int64_t>(target.length), kMost);
  const int64_t length = std::clamp<int64_t>(log.size() - position, 0, most);
  size_t got = 0;
  const Status status =
      log.file()->read(target.data, static_cast<size_t>(length), position, &got, wait);
  environment.numbers[kStart] = status.ok() ? 0 : -1;
  if (!status.ok()) return unread(environment, status, wait);
  environment.answer(status);
  environment.numbers[kLength] = static_cast<int32_t>(got);
  return nullptr;
}

// (log); tasks that use the file keep it open
napi_value log_close(Environment& environment, const Arguments& arguments) {
  object_of<LogFile>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

constexpr Export kExports[] = {
    {"log_open", enter<log_open>},         {"log_append", enter<log_append>},
    {"log_truncate", enter<log_truncate>}, {"log_read_into", enter<log_read_into>},
    {"log_close", enter<log_close>},
};

}  // namespace

Exports log_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
