// From an offset to a batch: the index says where to begin, and often where to
// end, and the headers between say which batch it is. Reads all of that at
// once, so that most translations are one read.
#pragma once

#include <cstdint>

#include "batch_header.h"
#include "file.h"
#include "index_entry.h"
#include "window.h"

namespace plog {

// The valid bytes of a log file, as a reader sees them.
struct LogView {
  const File& file;
  int64_t segment_base;
  int64_t size;
};

struct Translation {
  IndexEntry index_entry{0, 0};  // (0, 0) where the index has none below
  int64_t next_entry = -1;  // position of the index entry behind it, or -1 where that is not known
  ScanStop stop = ScanStop::end;
  int64_t position = 0;  // of the batch, or of the header that ended the search
  BatchHeader batch{};   // where `stop` is `found`
};

// Bytes that a window for translations alone should hold.
inline constexpr size_t kTranslateBytes = 12288;

// Finds the first batch whose last offset is at least `segment_base + target`,
// from the index entry's position or `from`, whichever is later. An entry that
// points outside the log is no help and taken as none. `index_entry` and
// `next_entry` are input. The window, of the log up to its size, then holds
// the batch's header, and about `more` bytes behind where it may begin.
Status translate(const LogView& log, int64_t target, int64_t from, size_t more, Window* window,
                 Translation* translation);

// How many bytes a slice has, from the batch found on.
struct SliceBounds {
  int64_t from;
  int64_t end;
  int64_t max_bytes;
  bool min_one_batch;
};

int64_t slice_length(const LogView& log, const Translation& translation, const SliceBounds& bounds);

// Of `wanted` bytes of a slice the file had only `got`: where others cut it
// within the batch found, that batch is torn and the slice has no bytes.
size_t keep_whole_batch(Translation* translation, int64_t wanted, size_t got);

}  // namespace plog
