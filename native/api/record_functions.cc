// Native functions of records and offset maps: record_parse, record_copy,
// map_open, map_put, map_mark, map_clear, map_close. Columns come as the one
// ArrayBuffer that they are views of, so nothing is held between calls.
#include <algorithm>

#include "../core/errors.h"
#include "../core/layout.h"
#include "../core/offset_map.h"
#include "entry.h"

namespace plog::api {

namespace {

Span span(const Bytes& bytes) { return {bytes.data, bytes.length}; }

RecordColumns columns_of(const Arguments& arguments, size_t i) {
  const Bytes memory = arguments.buffer(i);
  if (reinterpret_cast<uintptr_t>(memory.data) % alignof(int64_t) != 0)
    throw ArgumentFault{false, "argument " + std::to_string(i) + " is no memory of columns"};
  return {memory.data, memory.length};
}

Rows rows_of(const RecordColumns& columns, const Arguments& arguments, size_t i) {
  const int64_t from = arguments.integer(i, 0, columns.capacity);
  return {from, arguments.integer(i + 1, 0, columns.capacity - from)};
}

int64_t position_within(const Bytes& bytes, const Arguments& arguments, size_t i) {
  const int64_t most = std::min(static_cast<int64_t>(bytes.length), layout::kMaxFileSize);
  return arguments.integer(i, 0, most);
}

// (bytes, start, end, count, baseOffset, columns, row); numbers[position]
napi_value record_parse(Environment& environment, const Arguments& arguments) {
  const Bytes bytes = arguments.bytes(0);
  const int64_t end = position_within(bytes, arguments, 2);
  const int64_t start = arguments.integer(1, 0, end);
  const int64_t base_offset = arguments.bigint(4);
  const RecordColumns columns = columns_of(arguments, 5);
  const int64_t row = arguments.integer(6, 0, columns.capacity);
  const int64_t count = arguments.integer(3, 0, columns.capacity - row);
  const int64_t position =
      parse_records({bytes.data, start, end, count, base_offset}, columns, row);
  environment.numbers[kPosition] = static_cast<int32_t>(position);
  return nullptr;
}

// (bytes, columns, from, count, isShift, amount, out, outPosition);
// numbers[position], numbers[badRow]
napi_value record_copy(Environment& environment, const Arguments& arguments) {
  const Bytes bytes = arguments.bytes(0);
  const RecordColumns columns = columns_of(arguments, 1);
  const Rows rows = rows_of(columns, arguments, 2);
  const TimestampMove move = {arguments.boolean(4), arguments.bigint(5)};
  Bytes out = arguments.bytes(6);
  // What lies beyond has no position.
  out.length = std::min(out.length, static_cast<size_t>(layout::kMaxFileSize));
  const int64_t position = position_within(out, arguments, 7);
  if (columns.capacity == 0) throw ArgumentFault{true, "columns must have rows"};
  const CopyResult result = copy_records(span(bytes), columns, rows, move, span(out), position);
  environment.numbers[kPosition] = static_cast<int32_t>(result.position);
  environment.numbers[kBadRow] = static_cast<int32_t>(result.bad_row);
  return nullptr;
}

// (slots, isXxh3) -> handle; undefined with an error set
napi_value map_open(Environment& environment, const Arguments& arguments) {
  const int64_t slots = arguments.integer(0, 1, OffsetMap::kMostSlots);
  const HashKeys hash = arguments.boolean(1) ? xxh3_keys : md5_keys;
  auto map = OffsetMap::open(slots, hash);
  environment.answer(map ? kOk : Status{errors::kNoMemory, Call::allocate});
  return map ? handle_of(environment, std::move(map)) : nullptr;
}

// (map, bytes, columns, from, count, fromOffset, maxSize);
// numbers[length]: rows that it came past, numbers[size]: keys in it, numbers[badRow]
napi_value map_put(Environment& environment, const Arguments& arguments) {
  OffsetMap& map = object_of<OffsetMap>(environment, arguments, 0);
  const Bytes bytes = arguments.bytes(1);
  const RecordColumns columns = columns_of(arguments, 2);
  const Rows rows = rows_of(columns, arguments, 3);
  const int64_t from_offset = arguments.bigint(5);
  const int64_t max_size = arguments.integer(6, 0, map.slots() - 1);
  const OffsetMap::Put put = map.put(span(bytes), columns, rows, from_offset, max_size);
  environment.numbers[kLength] = static_cast<int32_t>(put.taken);
  environment.numbers[kSize] = static_cast<int32_t>(map.size());
  environment.numbers[kBadRow] = static_cast<int32_t>(put.bad_row);
  return nullptr;
}

// (map, bytes, columns, from, count); numbers[badRow]
napi_value map_mark(Environment& environment, const Arguments& arguments) {
  const OffsetMap& map = object_of<OffsetMap>(environment, arguments, 0);
  const Bytes bytes = arguments.bytes(1);
  const RecordColumns columns = columns_of(arguments, 2);
  const Rows rows = rows_of(columns, arguments, 3);
  const int64_t bad_row = map.mark_superseded(span(bytes), columns, rows);
  environment.numbers[kBadRow] = static_cast<int32_t>(bad_row);
  return nullptr;
}

// (map)
napi_value map_clear(Environment& environment, const Arguments& arguments) {
  object_of<OffsetMap>(environment, arguments, 0).clear();
  return nullptr;
}

// (map)
napi_value map_close(Environment& environment, const Arguments& arguments) {
  object_of<OffsetMap>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

constexpr Export kExports[] = {
    {"record_parse", enter<record_parse>}, {"record_copy", enter<record_copy>},
    {"map_open", enter<map_open>},         {"map_put", enter<map_put>},
    {"map_mark", enter<map_mark>},         {"map_clear", enter<map_clear>},
    {"map_close", enter<map_close>},
};

}  // namespace

Exports record_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
