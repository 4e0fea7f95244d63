// From a time to a record, where few bytes tell: the walk over batch headers
// from where the indexes lead, and the records of the batch found. A short
// cut: what it finds is right, and where it finds nothing nothing is known.
#pragma once

#include <cstdint>

#include "file.h"
#include "index_file.h"
#include "translate.h"
#include "window.h"

namespace plog {

// The first record with a timestamp of at least `timestamp`, from
// `first_offset` on; a walk that comes to `end_offset` finds nothing.
struct TimeQuery {
  int64_t timestamp;
  int64_t first_offset;
  int64_t end_offset;
};

struct FoundRecord {
  bool found = false;
  int64_t offset = 0;
  int64_t timestamp = 0;
};

// Where a search by time begins, and how many bytes to read there first.
struct TimeStart {
  int64_t position = 0;
  size_t ask = 0;
};

// By both indexes of a segment: before the position lies no record with the
// time at or behind the relative offset `first`.
Status start_of_time(IndexFile& offset_index, IndexFile& time_index, int64_t timestamp,
                     int64_t first, TimeStart* start);

// Finds nothing in compressed batches, in those of magic 0 and 1, in damaged
// ones, and beyond as many bytes as the window holds.
Status find_time(const LogView& log, const TimeStart& start, const TimeQuery& query, Window* window,
                 FoundRecord* found);

}  // namespace plog
