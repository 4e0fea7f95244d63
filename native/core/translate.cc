// The search through batch headers.
#include "translate.h"

#include <algorithm>

#include "bytes.h"

namespace plog {

namespace {

// Where the index does not say how far a search goes: about one interval.
constexpr size_t kIntervalBytes = 4608;

// Bytes in which the batch begins, as far as can be known, with `more` behind.
// Who says where to begin, behind the index's answer, knows where the batch is.
size_t first_read(const Translation& translation, size_t more) {
  const bool exact = translation.position > translation.index_entry.value;
  const int64_t span = exact ? 0 : translation.next_entry - translation.position;
  const bool known = span >= 0 && span <= static_cast<int64_t>(kTranslateBytes);
  return (known ? static_cast<size_t>(span) : kIntervalBytes) +
         std::max<size_t>(more, kHeaderWindow);
}

int64_t first_position(const LogView& log, const IndexEntry& entry, int64_t from) {
  const bool inside = entry.value >= 0 && entry.value <= log.size;
  const int64_t start = std::max<int64_t>(inside ? entry.value : 0, from);
  return std::min(start, log.size);
}

}  // namespace

Status translate(const LogView& log, int64_t target, int64_t from, size_t more, Window* window,
                 Translation* translation) {
  OffsetOrder order(log.segment_base);
  const int64_t wanted = wrapping_add(log.segment_base, target);
  int64_t& position = translation->position;
  position = first_position(log, translation->index_entry, from);
  size_t ask = first_read(*translation, more);
  for (;;) {
    Status status;
    translation->stop = ScanStop::end;
    if (window->is_end(position)) return status;
    const uint8_t* at = window->at(position, kHeaderWindow, ask, &status);
    if (!status.ok()) return status;
    BatchHeader& batch = translation->batch;
    translation->stop = read_header(at, window->end() - position, &batch);
    ask = kIntervalBytes + more;
    if (translation->stop != ScanStop::found) return status;
    if (!order.accept(batch)) translation->stop = ScanStop::offset_order;
    if (translation->stop != ScanStop::found || batch.last_offset >= wanted) return status;
    position += batch.size;
  }
}

int64_t slice_length(const LogView& log, const Translation& translation,
                     const SliceBounds& bounds) {
  if (translation.stop != ScanStop::found) return 0;
  int64_t length = bounds.max_bytes;
  if (bounds.min_one_batch) length = std::max<int64_t>(length, translation.batch.size);
  const int64_t end = std::min(bounds.end, log.size);
  return std::max<int64_t>(0, std::min(length, end - translation.position));
}

size_t keep_whole_batch(Translation* translation, int64_t wanted, size_t got) {
  const bool cut = static_cast<int64_t>(got) < wanted;
  if (!cut || static_cast<int64_t>(got) >= translation->batch.size) return got;
  translation->stop = ScanStop::torn_batch;
  return 0;
}

}  // namespace plog
