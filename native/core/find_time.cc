// The look-ups, the walk, and the records.
#include "find_time.h"

#include <algorithm>

#include "bytes.h"
#include "layout.h"
#include "record_parse.h"

namespace plog {

namespace {

constexpr int64_t kLeastRecord = 7;
constexpr int32_t kCodecMask = 7;
constexpr int32_t kAppendTimeBit = 8;

struct IndexPlace {
  int64_t n = -1;
  IndexEntry entry{0, 0};
};

// Entries of the two indexes mostly come in pairs: then `pair` is the answer.
Status look_up_offset(IndexFile& index, int64_t relative, int64_t pair, IndexPlace* place) {
  if (pair >= 0 && pair < index.entries() && index.is_mapped()) {
    const Status status = index.entry(pair, &place->entry);
    place->n = pair;
    if (!status.ok() || place->entry.key == relative) return status;
  }
  place->entry = {0, 0};
  return index.lookup(relative, &place->n, &place->entry);
}

// Bytes up to the batch, guessed from the entries behind those found.
Status guess_read(IndexFile& offset_index, IndexFile& time_index, const IndexPlace& by_offset,
                  const IndexPlace& by_time, int64_t timestamp, size_t* ask) {
  IndexEntry next{0, -1}, next_time{0, 0};
  Status status;
  const bool has_next = offset_index.is_mapped() && by_offset.n + 1 < offset_index.entries();
  if (has_next) status = offset_index.entry(by_offset.n + 1, &next);
  const bool in_pairs =
      time_index.is_mapped() && by_time.n == by_offset.n && by_time.n + 1 < time_index.entries();
  if (status.ok() && in_pairs) status = time_index.entry(by_time.n + 1, &next_time);
  const double share = in_pairs ? share_of(timestamp, by_time.entry.key, next_time.key) : 1;
  const int64_t span = has_next ? int64_t{next.value} - by_offset.entry.value : -1;
  *ask = likely_bytes(span, share);
  return status;
}

// The records of the batch at `at`, of which `bytes` are there. False where
// they end amid a record.
bool search_records(const BatchHeader& batch, const uint8_t* at, size_t bytes,
                    const TimeQuery& query, FoundRecord* found) {
  const bool by_append = (batch.attributes & kAppendTimeBit) != 0;
  const uint8_t* record = at + layout::kRecordsAt;
  RecordFields fields;
  for (int32_t n = 0; n < batch.count; ++n, record = fields.end) {
    if (!read_record(record, at + bytes, &fields)) return false;
    found->offset = wrapping_add(batch.base_offset, fields.offset_delta);
    found->timestamp = by_append ? batch.max_timestamp
                                 : wrapping_add(batch.base_timestamp, fields.timestamp_delta);
    if (found->offset >= query.end_offset) return true;
    found->found = found->timestamp >= query.timestamp && found->offset >= query.first_offset;
    if (found->found) return true;
  }
  return true;
}

bool can_be_searched(const BatchHeader& batch) {
  if (batch.magic != 2 || (batch.attributes & kCodecMask) != 0) return false;
  return batch.count >= 0 && batch.count <= (batch.size - layout::kRecordsAt) / kLeastRecord;
}

// With the bytes that are there, then, if these are too few, with the whole batch.
Status search_batch(const BatchHeader& batch, int64_t position, const TimeQuery& query,
                    Window* window, FoundRecord* found) {
  if (!can_be_searched(batch)) return kOk;
  size_t need = kHeaderWindow;
  const size_t whole = std::min(static_cast<size_t>(batch.size), window->capacity());
  for (;;) {
    Status status;
    const uint8_t* at = window->at(position, need, whole, &status);
    if (!status.ok() || position + batch.size > window->end()) return status;
    const size_t bytes = std::min(window->available(position), whole);
    if (search_records(batch, at, bytes, query, found) || bytes == whole) return status;
    need = whole;
  }
}

}  // namespace

Status start_of_time(IndexFile& offset_index, IndexFile& time_index, int64_t timestamp,
                     int64_t first, TimeStart* start) {
  IndexPlace by_time, by_offset;
  Status status = time_index.lookup(timestamp, &by_time.n, &by_time.entry);
  if (!status.ok()) return status;
  const bool time_leads = by_time.entry.value >= first;
  const int64_t relative = std::max<int64_t>(by_time.entry.value, first);
  status = look_up_offset(offset_index, relative, time_leads ? by_time.n : -1, &by_offset);
  if (status.ok())
    status = guess_read(offset_index, time_index, by_offset, by_time, timestamp, &start->ask);
  start->position = by_offset.entry.value;
  return status;
}

Status find_time(const LogView& log, const TimeStart& start, const TimeQuery& query, Window* window,
                 FoundRecord* found) {
  OffsetOrder order(log.segment_base);
  const auto capacity = static_cast<int64_t>(window->capacity());
  size_t ask = start.ask;
  for (int64_t position = start.position; position >= 0 && position < log.size;) {
    if (position - start.position > capacity) return kOk;
    Status status;
    const uint8_t* at = window->at(position, kHeaderWindow, ask, &status);
    BatchHeader batch;
    if (!status.ok() || read_header(at, window->end() - position, &batch) != ScanStop::found ||
        !order.accept(batch)) {
      return status;
    }
    if (batch.max_timestamp >= query.timestamp && batch.last_offset >= query.first_offset)
      return search_batch(batch, position, query, window, found);
    position += batch.size;
    ask = window->capacity();
  }
  return kOk;
}

}  // namespace plog
