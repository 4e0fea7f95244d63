// Scans and translations: what they find, and every reason to stop.
#include <vector>

#include "../core/batch_scan.h"
#include "../core/translate.h"
#include "batches.h"
#include "harness.h"
#include "memory_disk.h"

using namespace plog;
using test::add_batch;

namespace {

std::shared_ptr<File> file_with(const std::vector<uint8_t>& bytes) {
  test::reset_disk().files["log"] = bytes;
  Status status;
  auto file = File::open(test::memory_file_ops(), "log", OpenMode::read, &status);
  CHECK(status.ok());
  return file;
}

ScanRequest whole(const std::vector<uint8_t>& bytes, int64_t base = 0) {
  return {base, 0, static_cast<int64_t>(bytes.size()), 1000, true, false, 0};
}

test::Scanned scan(const std::vector<uint8_t>& bytes, const ScanRequest& request,
                   size_t most_rows = 1000) {
  test::Scanned result;
  CHECK(test::scan_into(*file_with(bytes), request, most_rows, &result).ok());
  return result;
}

ScanStop stop_of(const std::vector<uint8_t>& bytes) { return scan(bytes, whole(bytes)).stop; }

std::vector<uint8_t> three() {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 3; ++i)
    add_batch(bytes, {.base_offset = 10 * i, .last_offset_delta = 9, .max_timestamp = 100 * i});
  return bytes;
}

}  // namespace

PLOG_TEST(scan_gives_a_row_for_each_batch) {
  const auto bytes = three();
  const auto result = scan(bytes, whole(bytes));
  CHECK(result.stop == ScanStop::end && result.batches.size() == 3);
  CHECK(result.end_position == static_cast<int64_t>(bytes.size()));
  CHECK(result.positions[2] == 142 && result.batches[2].last_offset == 29);
}

PLOG_TEST(scan_of_any_cut_gives_a_prefix) {
  const auto bytes = three();
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<int64_t>(cut));
    const size_t rest = cut % 71;
    const ScanStop torn = rest < 17 ? ScanStop::torn_header : ScanStop::torn_batch;
    for (const bool check_crc : {true, false}) {
      auto request = whole(part);
      request.check_crc = check_crc;
      const auto result = scan(part, request);
      CHECK(result.batches.size() == cut / 71);
      CHECK(result.end_position == static_cast<int64_t>(cut - rest));
      CHECK(result.stop == (rest == 0 ? ScanStop::end : torn));
    }
  }
}

PLOG_TEST(scan_names_what_is_wrong_with_a_header) {
  auto bytes = three();
  auto with = [&](size_t at, std::vector<uint8_t> values) {
    auto changed = bytes;
    std::copy(values.begin(), values.end(), changed.begin() + static_cast<int64_t>(at));
    return stop_of(changed);
  };
  CHECK(with(71 + 8, {0, 0, 0, 13}) == ScanStop::bad_length);
  CHECK(with(71 + 8, {0, 0, 0, 48}) == ScanStop::bad_length);
  CHECK(with(71 + 8, {0x7f, 0xff, 0xff, 0xff}) == ScanStop::torn_batch);
  CHECK(with(71 + 8, {0xff, 0xff, 0xff, 0xff}) == ScanStop::bad_length);
  CHECK(with(71 + 16, {3}) == ScanStop::bad_magic);
  CHECK(with(71 + 16, {0xff}) == ScanStop::bad_magic);
  CHECK(with(71 + 65, {0}) == ScanStop::bad_crc);
}

PLOG_TEST(scan_wants_rising_offsets_within_the_segment) {
  std::vector<uint8_t> bytes;
  add_batch(bytes, {.base_offset = 5});
  CHECK(scan(bytes, whole(bytes, 6)).stop == ScanStop::offset_order);
  CHECK(scan(bytes, whole(bytes, 5)).stop == ScanStop::end);
  add_batch(bytes, {.base_offset = 5});
  CHECK(stop_of(bytes) == ScanStop::offset_order);
  std::vector<uint8_t> wrapped;
  add_batch(wrapped, {.base_offset = INT64_MAX, .last_offset_delta = 1});
  CHECK(stop_of(wrapped) == ScanStop::offset_order);
  std::vector<uint8_t> negative;
  add_batch(negative, {.base_offset = 7, .last_offset_delta = -1});
  CHECK(stop_of(negative) == ScanStop::offset_order);
}

PLOG_TEST(scan_reads_old_formats) {
  std::vector<uint8_t> bytes;
  test::add_legacy(bytes, 0, 1, -1);
  test::add_legacy(bytes, 1, 2, 77);
  add_batch(bytes, {.base_offset = 3});
  const auto result = scan(bytes, whole(bytes));
  CHECK(result.stop == ScanStop::end && result.batches.size() == 3);
  CHECK(result.batches[0].max_timestamp == -1 && result.batches[0].count == 1);
  CHECK(result.batches[1].max_timestamp == 77 && result.batches[1].producer_id == -1);
  bytes[20] ^= 1;
  CHECK(stop_of(bytes) == ScanStop::bad_crc);
}

PLOG_TEST(scan_checks_batches_larger_than_its_buffer) {
  std::vector<uint8_t> bytes;
  add_batch(bytes, {.payload = 3 << 20});
  add_batch(bytes, {.base_offset = 1});
  test::disk().most_a_call = 100'000;
  const auto result = scan(bytes, whole(bytes));
  CHECK(result.stop == ScanStop::end && result.batches.size() == 2);
  bytes[2 << 20] ^= 1;
  CHECK(stop_of(bytes) == ScanStop::bad_crc);
}

PLOG_TEST(scan_stops_at_limits) {
  const auto bytes = three();
  auto request = whole(bytes);
  request.max_batches = 2;
  CHECK(scan(bytes, request).stop == ScanStop::limit);
  request = whole(bytes);
  request.has_until = true;
  request.until_timestamp = 50;
  const auto result = scan(bytes, request);
  CHECK(result.stop == ScanStop::limit && result.batches.size() == 1);
  CHECK(result.positions[0] == 71 && result.end_position == 142);
}

PLOG_TEST(scan_stops_where_its_rows_are_full) {
  const auto bytes = three();
  const auto result = scan(bytes, whole(bytes), 2);
  CHECK(result.stop == ScanStop::limit && result.end_position == 142);
  CHECK(result.batches.size() == 2 && result.batches[1].crc != 0);
  CHECK(scan(bytes, whole(bytes), 3).stop == ScanStop::end);
  CHECK(scan(bytes, whole(bytes), 0).stop == ScanStop::limit);
}

PLOG_TEST(scan_until_a_time_reads_on_in_larger_pieces) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 3000; ++i)
    add_batch(bytes,
              {.base_offset = i, .payload = i % 700 == 699 ? 20'000 : 300, .max_timestamp = i});
  auto request = whole(bytes);
  request.has_until = true;
  request.max_batches = 5000;
  for (const bool check_crc : {true, false}) {
    request.check_crc = check_crc;
    for (const int i : {0, 10, 60, 698, 699, 700, 701, 2999}) {
      request.until_timestamp = i;
      const auto result = scan(bytes, request, 1);
      CHECK(result.stop == ScanStop::limit && result.batches.size() == 1);
      CHECK(result.batches[0].base_offset == i);
    }
  }
}

PLOG_TEST(translate_finds_the_first_batch_that_reaches) {
  const auto bytes = three();
  const auto file = file_with(bytes);
  const LogView log = {*file, 0, static_cast<int64_t>(bytes.size())};
  for (int64_t target = 0; target < 30; ++target) {
    Translation found;
    CHECK(test::translate_in(log, target, 0, Wait::yes, &found).ok());
    CHECK(found.stop == ScanStop::found && found.position == target / 10 * 71);
  }
  Translation beyond;
  CHECK(test::translate_in(log, 30, 0, Wait::yes, &beyond).ok());
  CHECK(beyond.stop == ScanStop::end && beyond.position == 213);
}

PLOG_TEST(translate_survives_any_index_entry) {
  const auto bytes = three();
  const auto file = file_with(bytes);
  const LogView log = {*file, 0, static_cast<int64_t>(bytes.size())};
  for (const int32_t position : {INT32_MIN, -1, 0, 1, 70, 72, 212, 213, 214, INT32_MAX}) {
    Translation found;
    found.index_entry = {0, position};
    CHECK(test::translate_in(log, 5, 0, Wait::yes, &found).ok());
    CHECK(found.position >= 0 && found.position <= log.size);
    const bool outside = position < 0 || position > log.size;
    if (outside) CHECK(found.stop == ScanStop::found && found.position == 0);
  }
}

// A file shorter than its valid size: others cut it under the open handle.
PLOG_TEST(where_a_cut_file_ends_is_not_the_end) {
  const auto bytes = three();
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<int64_t>(cut));
    const int64_t last = static_cast<int64_t>(cut - cut % 71);
    const ScanStop torn = cut % 71 < 17 ? ScanStop::torn_header : ScanStop::torn_batch;
    for (const bool check_crc : {true, false}) {
      auto request = whole(bytes);
      request.check_crc = check_crc;
      const auto result = scan(part, request);
      CHECK(result.stop == torn && result.end_position == last);
      request.from = 142;
      CHECK(scan(part, request).stop == (cut < 142 ? ScanStop::torn_header : torn));
    }
    const auto file = file_with(part);
    const LogView log = {*file, 0, static_cast<int64_t>(bytes.size())};
    Translation found;
    CHECK(test::translate_in(log, 29, 0, Wait::yes, &found).ok());
    CHECK(found.stop == torn && found.position == last);
  }
}

PLOG_TEST(a_slice_of_a_cut_batch_is_torn) {
  Translation translation;
  translation.stop = ScanStop::found;
  translation.batch.size = 71;
  CHECK(keep_whole_batch(&translation, 50, 50) == 50);
  CHECK(keep_whole_batch(&translation, 142, 71) == 71);
  CHECK(translation.stop == ScanStop::found);
  CHECK(keep_whole_batch(&translation, 142, 70) == 0);
  CHECK(translation.stop == ScanStop::torn_batch);
}

PLOG_TEST(translate_says_when_it_would_wait) {
  const auto bytes = three();
  const auto file = file_with(bytes);
  test::disk().cached = false;
  Translation found;
  const LogView log = {*file, 0, static_cast<int64_t>(bytes.size())};
  CHECK(!test::translate_in(log, 5, 0, Wait::no, &found).ok());
  CHECK(test::translate_in(log, 5, 0, Wait::yes, &found).ok());
}
