// Records of a magic 2 batch, taken apart. Strict: lengths lie inside of the
// record, which ends exactly where its length says. Any bytes may be given.
#pragma once

#include "record_columns.h"
#include "varint.h"

namespace plog {

struct RecordFields {
  int64_t timestamp_delta;
  int32_t offset_delta;
  int32_t key_size;  // -1: none
  int32_t value_size;
  const uint8_t* key;
  const uint8_t* rest;  // behind the timestamp delta
  const uint8_t* end;
  bool shortest;  // no number from `rest` on takes more bytes than need be
};

// False where no sound record begins at `at` and ends at or before `limit`.
bool read_record(const uint8_t* at, const uint8_t* limit, RecordFields* fields);

struct RecordRegion {
  const uint8_t* bytes;
  int64_t start;
  int64_t end;  // below 2^31
  int64_t count;
  int64_t base_offset;
};

// Fills rows from `row` on, which the columns have. -1, or the position of
// what is no record.
int64_t parse_records(const RecordRegion& region, const RecordColumns& columns, int64_t row);

}  // namespace plog
