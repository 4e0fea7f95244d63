// Rows into bytes. Every record is read anew: what the columns say of it may
// have been written by anyone.
#include "record_copy.h"

#include <algorithm>
#include <cstring>

#include "bytes.h"

namespace plog {

namespace {

struct Writer {
  uint8_t* at;  // null: only counts
  size_t left;
  size_t written = 0;

  bool number(int64_t value) {
    const size_t size = varint_size(value);
    if (!take(size)) return false;
    if (at != nullptr) at = write_varint(at, value);
    return true;
  }

  bool bytes(const uint8_t* from, size_t size) {
    if (!take(size)) return false;
    if (at == nullptr) return true;
    if (size > 0) std::memcpy(at, from, size);
    at += size;
    return true;
  }

 private:
  bool take(size_t size) {
    if (size > left) return false;
    left -= size;
    written += size;
    return true;
  }
};

// One field, with its length in the shortest form.
bool rewrite_field(VarintCursor& cursor, Writer& writer) {
  int32_t size;
  if (!cursor.read(&size) || !writer.number(size)) return false;
  if (size <= 0) return true;
  if (static_cast<size_t>(size) > cursor.left()) return false;
  const uint8_t* from = cursor.at;
  cursor.at += size;
  return writer.bytes(from, static_cast<size_t>(size));
}

// What follows the timestamp delta, with numbers in the shortest form.
bool rewrite_rest(const RecordFields& fields, Writer& writer) {
  VarintCursor cursor{fields.rest, fields.end};
  int32_t offset_delta, headers;
  if (!cursor.read(&offset_delta) || !writer.number(offset_delta)) return false;
  if (!rewrite_field(cursor, writer) || !rewrite_field(cursor, writer)) return false;
  if (!cursor.read(&headers) || !writer.number(headers)) return false;
  for (int64_t n = 2 * int64_t{headers}; n > 0; --n) {
    if (!rewrite_field(cursor, writer)) return false;
  }
  return true;
}

size_t rest_size(const RecordFields& fields) {
  const auto size = static_cast<size_t>(fields.end - fields.rest);
  Writer counter{nullptr, size};
  return fields.shortest || !rewrite_rest(fields, counter) ? size : counter.written;
}

bool write(const RecordFields& fields, int64_t timestamp_delta, Writer& writer) {
  constexpr uint8_t kNoAttributes = 0;
  const size_t body = 1 + varint_size(timestamp_delta) + rest_size(fields);
  if (varint_size(static_cast<int64_t>(body)) + body > writer.left) return false;
  if (!writer.number(static_cast<int64_t>(body)) || !writer.bytes(&kNoAttributes, 1) ||
      !writer.number(timestamp_delta))
    return false;
  if (!fields.shortest) return rewrite_rest(fields, writer);
  return writer.bytes(fields.rest, static_cast<size_t>(fields.end - fields.rest));
}

bool read_row(Span bytes, const RecordColumns& columns, int64_t row, RecordFields* fields) {
  const int32_t position = columns.positions[row];
  const int32_t end = columns.ends[row];
  if (position < 0 || position >= end || static_cast<size_t>(end) > bytes.length) return false;
  return read_record(bytes.data + position, bytes.data + end, fields) &&
         fields->end == bytes.data + end;
}

}  // namespace

CopyResult copy_records(Span bytes, const RecordColumns& columns, Rows rows, TimestampMove move,
                        Span out, int64_t position) {
  Writer writer{out.data + position, out.length - static_cast<size_t>(position)};
  int64_t largest = INT64_MIN;
  RecordFields fields;
  for (int64_t row = rows.from; row < rows.from + rows.count; ++row) {
    if (columns.keep[row] == 0) continue;
    if (!read_row(bytes, columns, row, &fields)) return {-1, row};
    largest = std::max(largest, fields.timestamp_delta);
    const int64_t delta =
        move.shift ? wrapping_add(fields.timestamp_delta, move.amount) : move.amount;
    if (!write(fields, delta, writer)) return {-1, -1};
  }
  *columns.largest_timestamp_delta = largest;
  return {position + static_cast<int64_t>(writer.written), -1};
}

}  // namespace plog
