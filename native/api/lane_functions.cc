// Native functions of lanes: lane_open, lane_flush, lane_flush_path,
// lane_make_spare, lane_look, lane_read, lane_slice, lane_scan, lane_close. Each
// takes the lane, and a number that the answer comes back with.
#include <algorithm>
#include <string>
#include <vector>

#include "../core/layout.h"
#include "entry.h"
#include "lane_tasks.h"

namespace plog::api {

namespace {

constexpr int64_t kMost = layout::kMaxFileSize;
constexpr int64_t kMostExact = int64_t{1} << 53;

template <class T, class... Rest>
void post_new(Environment& environment, const Arguments& arguments, Rest&&... rest) {
  BoundLane& bound = object_of<BoundLane>(environment, arguments, 0);
  const LaneTask::Address address = {arguments.integer(0, 0, kMostExact),
                                     static_cast<double>(arguments.integer(1, 0, kMostExact))};
  post(environment, bound.lane, std::make_unique<T>(address, std::forward<Rest>(rest)...));
}

// (completed, inBackground?) -> handle; `completed(id, payload)` is called for each finished task
napi_value lane_open(Environment& environment, const Arguments& arguments) {
  napi_valuetype type;
  check(napi_typeof(environment.env, arguments.value(0), &type));
  if (type != napi_function) throw ArgumentFault{false, "argument 0 must be a function"};
  const bool in_background = !arguments.absent(1) && arguments.boolean(1);
  prepare_completions(environment);
  napi_ref completed;
  check(napi_create_reference(environment.env, arguments.value(0), 1, &completed));
  return handle_of(environment, std::make_unique<BoundLane>(complete, environment.completions,
                                                            in_background, completed));
}

SharedFile file_at(Environment& environment, napi_value value) {
  double handle = -1;
  if (napi_get_value_double(environment.env, value, &handle) != napi_ok ||
      !(handle >= 0 && handle < kMostExact)) {
    throw ArgumentFault{false, "a file to flush must be a handle"};
  }
  const auto number = static_cast<int64_t>(handle);
  if (const LogFile* log = environment.handles.find<LogFile>(number)) return log->file();
  if (const IndexFile* index = environment.handles.find<IndexFile>(number)) return index->file();
  throw ArgumentFault{false, "a file to flush is not open"};
}

// (lane, id, handles of log and index files); numbers[part] = the one that failed
napi_value lane_flush(Environment& environment, const Arguments& arguments) {
  uint32_t count;
  if (napi_get_array_length(environment.env, arguments.value(2), &count) != napi_ok) {
    throw ArgumentFault{false, "argument 2 must be an array"};
  }
  std::vector<SharedFile> files;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value value;
    check(napi_get_element(environment.env, arguments.value(2), i, &value));
    files.push_back(file_at(environment, value));
  }
  post_new<FlushTask>(environment, arguments, std::move(files));
  return nullptr;
}

// (lane, id, path)
napi_value lane_flush_path(Environment& environment, const Arguments& arguments) {
  post_new<FlushPathTask>(environment, arguments, arguments.text(2));
  return nullptr;
}

// (lane, id, directory, capacityBytes) -> handle of the spare files
napi_value lane_make_spare(Environment& environment, const Arguments& arguments) {
  post_new<SpareTask>(environment, arguments, arguments.text(2), arguments.position(3));
  return nullptr;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

// (lane, id, directory, names between slashes) -> ArrayBuffer; numbers[part] = the one that failed
napi_value lane_look(Environment& environment, const Arguments& arguments) {
  post_new<LookTask>(environment, arguments, arguments.text(2), split(arguments.text(3), '/'));
  return nullptr;
}

// (lane, id, log, position, length) -> Buffer
napi_value lane_read(Environment& environment, const Arguments& arguments) {
  const LogFile& log = object_of<LogFile>(environment, arguments, 2);
  const int64_t position = arguments.position(3);
  const int64_t length = std::clamp<int64_t>(log.size() - position, 0, arguments.position(4));
  post_new<ReadTask>(environment, arguments, log.file(), position, length);
  return nullptr;
}

// (lane, id, log, offsetIndex, target, fromPosition, endPosition, maxBytes, minOneBatch) -> Buffer
napi_value lane_slice(Environment& environment, const Arguments& arguments) {
  const LogFile& log = object_of<LogFile>(environment, arguments, 2);
  const IndexFile& index = object_of<IndexFile>(environment, arguments, 3);
  if (index.kind() != IndexKind::offset)
    throw ArgumentFault{false, "argument 3 must be an offset index"};
  const int64_t target = arguments.integer(4, -kMost - 1, kMost);
  const SliceBounds bounds = {arguments.position(5), arguments.position(6), arguments.position(7),
                              arguments.boolean(8)};
  const SliceRequest request = {
      log.file(), index.file(), log.base_offset(), log.size(), index.entries(), target, bounds};
  post_new<SliceTask>(environment, arguments, request);
  return nullptr;
}

// (lane, id, log, rows, fromPosition, endPosition, maxBatches, checkCrc, untilTimestamp?);
// `rows` is an ArrayBuffer that nobody touches before the answer; numbers[length] = rows filled
napi_value lane_scan(Environment& environment, const Arguments& arguments) {
  const LogFile& log = object_of<LogFile>(environment, arguments, 2);
  ScanRequest request = {};
  request.segment_base = log.base_offset();
  const Bytes memory = arguments.buffer(3);
  request.from = arguments.position(4);
  request.end = std::min(arguments.position(5), log.size());
  request.max_batches = arguments.integer(6, 0, kMostExact);
  request.check_crc = arguments.boolean(7);
  request.has_until = !arguments.absent(8);
  request.until_timestamp = request.has_until ? arguments.bigint(8) : 0;
  post_new<ScanTask>(environment, arguments, log.file(), request,
                     BatchRows(memory.data, memory.length));
  return nullptr;
}

// (lane, id); the answer comes when the queue is empty and the thread has ended
napi_value lane_close(Environment& environment, const Arguments& arguments) {
  post_new<CloseTask>(environment, arguments);
  object_of<BoundLane>(environment, arguments, 0).lane.finish();
  return nullptr;
}

constexpr Export kExports[] = {
    {"lane_open", enter<lane_open>},
    {"lane_flush", enter<lane_flush>},
    {"lane_flush_path", enter<lane_flush_path>},
    {"lane_make_spare", enter<lane_make_spare>},
    {"lane_look", enter<lane_look>},
    {"lane_read", enter<lane_read>},
    {"lane_slice", enter<lane_slice>},
    {"lane_scan", enter<lane_scan>},
    {"lane_close", enter<lane_close>},
};

}  // namespace

Exports lane_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
