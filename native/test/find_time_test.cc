// The short cut from a time to a record, against a walk over all records.
#include "../core/find_time.h"

#include <vector>

#include "batches.h"
#include "harness.h"
#include "memory_disk.h"
#include "records.h"

using namespace plog;

namespace {

constexpr int64_t kTime = 1'000;

// A batch of `count` records, one offset and one millisecond apart.
void add_timed(std::vector<uint8_t>& bytes, int64_t offset, int32_t count, int32_t value_size) {
  std::vector<uint8_t> records;
  for (int32_t n = 0; n < count; ++n)
    test::add_record(records, {.timestamp_delta = n, .offset_delta = n, .value_size = value_size});
  const size_t start = bytes.size();
  test::add_batch(bytes, {.base_offset = offset,
                          .last_offset_delta = count - 1,
                          .payload = static_cast<int32_t>(records.size()),
                          .max_timestamp = kTime + offset + count - 1});
  uint8_t* at = bytes.data() + start;
  at[layout::kAttributesAt] = at[layout::kAttributesAt + 1] = 0;
  test::store_u64(at + layout::kBaseTimestampAt, static_cast<uint64_t>(kTime + offset));
  store_u32(at + layout::kRecordCountAt, static_cast<uint32_t>(count));
  std::copy(records.begin(), records.end(), at + layout::kRecordsAt);
}

struct Segment {
  std::vector<uint8_t> log, offsets, times;
  int64_t end = 0;

  void add(int32_t count, int32_t value_size, bool indexed) {
    const size_t position = log.size();
    add_timed(log, end, count, value_size);
    end += count;
    if (!indexed) return;
    const size_t at = offsets.size();
    offsets.resize(at + 8);
    store_u32(&offsets[at], static_cast<uint32_t>(end - 1));
    store_u32(&offsets[at + 4], static_cast<uint32_t>(position));
    const size_t time_at = times.size();
    times.resize(time_at + 12);
    test::store_u64(&times[time_at], static_cast<uint64_t>(kTime + end - 1));
    store_u32(&times[time_at + 8], static_cast<uint32_t>(end - 1));
  }
};

std::unique_ptr<IndexFile> open_index(const char* path, IndexKind kind) {
  Status status;
  auto index =
      IndexFile::open(test::memory_file_ops(), path, kind, OpenMode::write, 0, true, &status);
  CHECK(status.ok());
  return index;
}

struct Opened {
  explicit Opened(const Segment& segment) {
    auto& disk = test::reset_disk();
    disk.files["log"] = segment.log;
    disk.files["offsets"] = segment.offsets;
    disk.files["times"] = segment.times;
    Status status;
    log = File::open(test::memory_file_ops(), "log", OpenMode::read, &status);
    offsets = open_index("offsets", IndexKind::offset);
    times = open_index("times", IndexKind::time);
    size = static_cast<int64_t>(segment.log.size());
  }

  FoundRecord find(int64_t timestamp, int64_t first, int64_t end, size_t room = 1 << 16) {
    std::vector<uint8_t> buffer(room);
    Window window(*log, buffer.data(), room, size, Wait::no);
    TimeStart start;
    FoundRecord found;
    CHECK(start_of_time(*offsets, *times, timestamp, first, &start).ok());
    status = find_time({*log, 0, size}, start, {timestamp, first, end}, &window, &found);
    return found;
  }

  std::shared_ptr<File> log;
  std::unique_ptr<IndexFile> offsets, times;
  int64_t size = 0;
  Status status;
};

Segment of_many() {
  Segment segment;
  for (int n = 0; n < 400; ++n) segment.add(1 + n % 5, 60 + n % 90, n % 17 == 16);
  return segment;
}

}  // namespace

PLOG_TEST(each_time_is_found) {
  const Segment segment = of_many();
  Opened opened(segment);
  for (const bool can_map : {true, false}) {
    test::disk().can_map = can_map;
    for (int64_t offset = 0; offset < segment.end; ++offset) {
      const FoundRecord found = opened.find(kTime + offset, 0, segment.end);
      CHECK(found.found && found.offset == offset && found.timestamp == kTime + offset);
    }
  }
  CHECK(opened.find(-5, 0, segment.end).offset == 0);
  CHECK(!opened.find(kTime + segment.end, 0, segment.end).found);
}

PLOG_TEST(only_what_may_be_read_is_found) {
  const Segment segment = of_many();
  Opened opened(segment);
  for (int64_t first = 0; first < segment.end; first += 7) {
    const FoundRecord found = opened.find(kTime, first, segment.end);
    CHECK(found.found && found.offset == first);
    CHECK(!opened.find(kTime + first, 0, first).found);
  }
}

PLOG_TEST(a_batch_larger_than_the_room_is_searched_as_far_as_it_goes) {
  Segment segment;
  segment.add(100, 100, false);
  Opened opened(segment);
  CHECK(opened.find(kTime + 3, 0, 100, 1024).offset == 3);
  CHECK(!opened.find(kTime + 99, 0, 100, 1024).found);
  CHECK(opened.find(kTime + 99, 0, 100).offset == 99);
}

PLOG_TEST(nothing_is_found_where_bytes_would_be_waited_for) {
  const Segment segment = of_many();
  Opened opened(segment);
  test::disk().cached = false;
  CHECK(!opened.find(kTime, 0, segment.end).found);
  CHECK(!opened.status.ok());
}

PLOG_TEST(compressed_and_damaged_batches_are_left_to_others) {
  Segment segment;
  segment.add(3, 10, false);
  segment.log[layout::kAttributesAt + 1] = 1;
  CHECK(!Opened(segment).find(kTime, 0, 3).found);
  segment.log[layout::kAttributesAt + 1] = 0;
  segment.log[layout::kRecordsAt] = 0xff;
  CHECK(!Opened(segment).find(kTime, 0, 3).found);
  segment.log[layout::kRecordCountAt] = 0x80;
  CHECK(!Opened(segment).find(kTime, 0, 3).found);
}

PLOG_TEST(where_the_broker_set_the_time_each_record_has_the_largest) {
  Segment segment;
  segment.add(3, 10, false);
  segment.log[layout::kAttributesAt + 1] = 8;
  const FoundRecord found = Opened(segment).find(kTime + 2, 1, 3);
  CHECK(found.found && found.offset == 1 && found.timestamp == kTime + 2);
}
