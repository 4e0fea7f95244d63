// Records written again as Kafka writes them: attributes 0, the timestamp delta
// moved, numbers as short as can be, all else as it is.
#pragma once

#include "record_parse.h"

namespace plog {

struct Span {
  uint8_t* data;
  size_t length;
};

struct TimestampMove {
  bool shift;  // `amount` is added, else it is the delta
  int64_t amount;
};

struct CopyResult {
  int64_t position;  // behind what was written; -1: `out` is too short
  int64_t bad_row;   // that is no record of these bytes, or -1
};

// Writes those of `rows` that are to be kept to `out` from `position` on, and
// notes the largest delta of theirs.
CopyResult copy_records(Span bytes, const RecordColumns& columns, Rows rows, TimestampMove move,
                        Span out, int64_t position);

}  // namespace plog
