// The search through batch headers.
#include "translate.h"

#include <algorithm>

#include "bytes.h"

namespace plog {

namespace {

// Where the index does not say how far a search goes: about one interval.
constexpr size_t kIntervalBytes = 4608;
// An interval of the index by default. What a stretch has beyond it tells
// batches of kilobytes from such of a few hundred bytes.
constexpr int64_t kLeastInterval = 4096;
// Batches need not be of one size.
constexpr int64_t kSlackBytes = 512;

// Bytes to read first, with `more` behind the batch's begin. Who says where to
// begin, behind the index's answer, knows where the batch is.
size_t first_read(const Translation& translation, int64_t target, size_t more) {
  const IndexEntry& entry = translation.index_entry;
  const IndexEntry& next = translation.next_entry;
  size_t bytes = 0;
  if (translation.position <= entry.value) {
    const int64_t span = int64_t{next.value} - translation.position;
    bytes = likely_bytes(span, share_of(target, entry.key, next.key));
    // Where the next entry leads is as far as it can be.
    if (span >= 0) bytes = std::min(bytes, static_cast<size_t>(span));
  }
  return bytes + std::max<size_t>(more, kHeaderWindow);
}

int64_t first_position(const LogView& log, const IndexEntry& entry, int64_t from) {
  const bool inside = entry.value >= 0 && entry.value <= log.size;
  const int64_t start = std::max<int64_t>(inside ? entry.value : 0, from);
  return std::min(start, log.size);
}

}  // namespace

size_t likely_bytes(int64_t span, double share) {
  if (span < 0 || span > static_cast<int64_t>(kTranslateBytes)) return kIntervalBytes;
  const int64_t slack = kSlackBytes + std::max<int64_t>(0, span - kLeastInterval);
  return static_cast<size_t>(share * static_cast<double>(span)) + static_cast<size_t>(slack);
}

double share_of(int64_t key, int64_t low, int64_t high) {
  if (high <= low || key >= high) return 1;
  if (key <= low) return 0;
  const double from = static_cast<double>(low);
  return (static_cast<double>(key) - from) / (static_cast<double>(high) - from);
}

Status translate(const LogView& log, int64_t target, int64_t from, size_t more, Window* window,
                 Translation* translation) {
  OffsetOrder order(log.segment_base);
  const int64_t wanted = wrapping_add(log.segment_base, target);
  int64_t& position = translation->position;
  position = first_position(log, translation->index_entry, from);
  size_t ask = first_read(*translation, target, more);
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
