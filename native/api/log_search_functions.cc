// Native functions that look for something in a log file: log_translate,
// log_slice, log_find_time.
#include <algorithm>
#include <new>

#include "../core/find_time.h"
#include "../core/layout.h"
#include "entry.h"

namespace plog::api {

namespace {

constexpr int64_t kMost = layout::kMaxFileSize;
constexpr int64_t kMostExact = int64_t{1} << 53;
// More is for a lane to read.
constexpr size_t kFindBytes = 64 << 10;

// The index's answer, and where the entry behind it points if that costs no read.
Status look_up(IndexFile& index, int64_t target, Translation* translation) {
  int64_t n;
  Status status = index.lookup(target, &n, &translation->index_entry);
  if (!status.ok() || !index.is_mapped() || n + 1 >= index.entries()) return status;
  IndexEntry next{};
  status = index.entry(n + 1, &next);
  translation->next_entry = next;
  return status;
}

// (log, offsetIndex, target)
napi_value log_translate(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  IndexFile& index = index_of_kind(environment, arguments, 1, IndexKind::offset);
  const int64_t target = arguments.integer(2, -kMost - 1, kMost);
  uint8_t buffer[kTranslateBytes];
  Window window(*log.file(), buffer, sizeof buffer, log.size(), Wait::yes);
  Translation translation;
  Status status = look_up(index, target, &translation);
  if (status.ok()) status = translate(log.view(), target, 0, 0, &window, &translation);
  environment.answer(status);
  environment.answer(translation);
  return nullptr;
}

// Makes the slice's bytes lie in the window, if it can hold them.
Status slice_into(const LogView& log, const SliceBounds& bounds, Window* window,
                  Environment& environment, Translation* translation, const uint8_t* buffer) {
  const int64_t wanted = slice_length(log, *translation, bounds);
  const size_t length = static_cast<size_t>(wanted);
  int32_t* numbers = environment.numbers;
  numbers[kStart] = -2;
  numbers[kLength] = static_cast<int32_t>(wanted);
  if (length > window->capacity()) return kOk;
  Status status;
  const uint8_t* at = window->at(translation->position, length, length, &status);
  if (!status.ok()) return status;
  const size_t got = std::min(window->available(translation->position), length);
  numbers[kStart] = static_cast<int32_t>(at - buffer);
  numbers[kLength] = static_cast<int32_t>(keep_whole_batch(translation, wanted, got));
  return status;
}

// (log, offsetIndex, target, fromPosition, endPosition, maxBytes, minOneBatch, wait, buffer,
// bufferStart); the slice is buffer[bufferStart + numbers[start], + numbers[length])
napi_value log_slice(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  IndexFile& index = index_of_kind(environment, arguments, 1, IndexKind::offset);
  const int64_t target = arguments.integer(2, -kMost - 1, kMost);
  const SliceBounds bounds = {arguments.position(3), arguments.position(4), arguments.position(5),
                              arguments.boolean(6)};
  const Wait wait = arguments.boolean(7) ? Wait::yes : Wait::no;
  const Bytes whole = arguments.bytes(8);
  const auto start =
      static_cast<size_t>(arguments.integer(9, 0, static_cast<int64_t>(whole.length)));
  const Bytes buffer = {whole.data + start, whole.length - start};
  // More than the buffer holds is not read here: then the headers are enough.
  const size_t most = static_cast<size_t>(bounds.max_bytes);
  const size_t more = most + kTranslateBytes > buffer.length ? 0 : most;
  const Window fresh(*log.file(), buffer.data, buffer.length, log.size(), wait);
  Window window = fresh;
  Translation translation;
  environment.numbers[kStart] = -1;
  Status status = look_up(index, target, &translation);
  if (status.ok()) status = translate(log.view(), target, bounds.from, more, &window, &translation);
  if (status.ok() && window.end() < log.size()) {
    // Others cut the file: that is no fault of a slice whose own bytes are there.
    window = fresh;
    status = translate(log.view(), target, bounds.from, 0, &window, &translation);
  }
  if (status.ok())
    status = slice_into(log.view(), bounds, &window, environment, &translation, buffer.data);
  if (!status.ok()) return unread(environment, status, wait);
  environment.answer(status);
  environment.answer(translation);
  return nullptr;
}

// (log, offsetIndex, timeIndex, timestamp, firstOffset, endOffset, endPosition), offsets relative;
// numbers[start] = -1 where it was not found at once, for whatever reason
napi_value log_find_time(Environment& environment, const Arguments& arguments) {
  LogFile& log = object_of<LogFile>(environment, arguments, 0);
  IndexFile& offset_index = index_of_kind(environment, arguments, 1, IndexKind::offset);
  IndexFile& time_index = index_of_kind(environment, arguments, 2, IndexKind::time);
  const int64_t timestamp = arguments.integer(3, -kMostExact, kMostExact);
  const int64_t first = arguments.integer(4, 0, kMostExact);
  const int64_t base = log.base_offset();
  const TimeQuery query = {timestamp, wrapping_add(base, first),
                           wrapping_add(base, arguments.integer(5, 0, kMostExact))};
  const LogView view = {*log.file(), base, std::min(log.size(), arguments.position(6))};
  environment.numbers[kStart] = -1;
  uint8_t* buffer = environment.scratch(kFindBytes);
  if (buffer == nullptr) return nullptr;
  TimeStart start;
  if (!start_of_time(offset_index, time_index, timestamp, first, &start).ok()) return nullptr;
  Window window(view.file, buffer, kFindBytes, view.size, Wait::no);
  FoundRecord found;
  const Status status = find_time(view, start, query, &window, &found);
  if (!status.ok() || !found.found) return nullptr;
  environment.numbers[kStart] = 0;
  environment.bigs[kBaseOffset] = found.offset;
  environment.bigs[kTimestamp] = found.timestamp;
  return nullptr;
}

constexpr Export kExports[] = {
    {"log_translate", enter<log_translate>},
    {"log_slice", enter<log_slice>},
    {"log_find_time", enter<log_find_time>},
};

}  // namespace

Exports log_search_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
