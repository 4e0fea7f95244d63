// Bytes into rows. A record's numbers are read once each, so that bytes which
// another thread changes meanwhile lead nowhere.
#include "record_parse.h"

#include "bytes.h"

namespace plog {

namespace {

// A length of at least `least`, and as many bytes.
bool read_field(VarintCursor& cursor, int32_t least, int32_t* size, const uint8_t** bytes) {
  if (!cursor.read(size) || *size < least) return false;
  *bytes = cursor.at;
  if (*size <= 0) return true;
  if (static_cast<size_t>(*size) > cursor.left()) return false;
  cursor.at += *size;
  return true;
}

bool read_headers(VarintCursor& cursor) {
  int32_t count;
  if (!cursor.read(&count) || count < 0) return false;
  for (int32_t size; count > 0; --count) {
    const uint8_t* bytes;
    if (!read_field(cursor, 0, &size, &bytes) || !read_field(cursor, -1, &size, &bytes))
      return false;
  }
  return true;
}

void fill(const RecordColumns& columns, int64_t row, const RecordRegion& region,
          const uint8_t* start, const RecordFields& fields) {
  columns.offsets[row] = wrapping_add(region.base_offset, fields.offset_delta);
  columns.timestamp_deltas[row] = fields.timestamp_delta;
  columns.positions[row] = static_cast<int32_t>(start - region.bytes);
  columns.ends[row] = static_cast<int32_t>(fields.end - region.bytes);
  columns.key_positions[row] = static_cast<int32_t>(fields.key - region.bytes);
  columns.key_sizes[row] = fields.key_size;
  columns.value_sizes[row] = fields.value_size;
}

}  // namespace

bool read_record(const uint8_t* at, const uint8_t* limit, RecordFields* fields) {
  VarintCursor cursor{at, limit};
  int32_t size;
  if (!cursor.read(&size) || size < 1 || static_cast<size_t>(size) > cursor.left()) return false;
  cursor.end = cursor.at + size;
  cursor.at += 1;  // attributes
  if (!cursor.read(&fields->timestamp_delta)) return false;
  fields->rest = cursor.at;
  fields->end = cursor.end;
  cursor.shortest = true;
  const uint8_t* value;
  if (!cursor.read(&fields->offset_delta)) return false;
  if (!read_field(cursor, -1, &fields->key_size, &fields->key)) return false;
  if (!read_field(cursor, -1, &fields->value_size, &value)) return false;
  if (!read_headers(cursor)) return false;
  fields->shortest = cursor.shortest;
  return cursor.at == cursor.end;
}

int64_t parse_records(const RecordRegion& region, const RecordColumns& columns, int64_t row) {
  const uint8_t* at = region.bytes + region.start;
  const uint8_t* limit = region.bytes + region.end;
  RecordFields fields;
  for (const int64_t last = row + region.count; row < last; ++row) {
    if (!read_record(at, limit, &fields)) return at - region.bytes;
    fill(columns, row, region, at, fields);
    at = fields.end;
  }
  return at == limit ? -1 : at - region.bytes;
}

}  // namespace plog
