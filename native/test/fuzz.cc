// Feeds random and mutated bytes to everything that reads files: scans,
// translations, index lookups, records and their columns. Sanitizers find what is wrong with
// memory; the checks here find answers that no caller could stand.
//
//   fuzz SECONDS            prints the seed of a round that fails
//   fuzz 0 SEED             runs that round alone
#include <algorithm>
#include <chrono>
#include <cinttypes>

#include "../core/batch_scan.h"
#include "../core/find_time.h"
#include "../core/index_file.h"
#include "../core/log_file.h"
#include "../core/offset_map.h"
#include "../core/record_copy.h"
#include "batches.h"
#include "harness.h"
#include "memory_disk.h"
#include "records.h"

using namespace plog;
using test::Random;

namespace {

std::vector<uint8_t> random_bytes(Random& random, int64_t most) {
  std::vector<uint8_t> bytes(static_cast<size_t>(random.between(0, most)));
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random.chance(3) ? 0 : random.next());
  return bytes;
}

std::vector<uint8_t> batches(Random& random) {
  std::vector<uint8_t> bytes;
  int64_t offset = random.chance(4) ? random.between(0, INT32_MAX) : 0;
  for (int64_t n = random.between(1, 12); n > 0; --n) {
    const auto delta = static_cast<int32_t>(random.between(0, 20));
    if (random.chance(5)) {
      test::add_legacy(bytes, static_cast<int>(random.between(0, 1)), offset, 5);
    } else {
      const auto payload = static_cast<int32_t>(random.chance(6) ? random.between(0, 20000)
                                                                 : random.between(0, 300));
      test::add_batch(bytes,
                      {.base_offset = offset, .last_offset_delta = delta, .payload = payload});
    }
    offset += delta + 1;
  }
  return bytes;
}

void mutate(Random& random, std::vector<uint8_t>& bytes) {
  for (int64_t n = random.between(0, 3); n > 0 && !bytes.empty(); --n) {
    const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(bytes.size()) - 1));
    if (random.chance(3)) {
      bytes.resize(at);
    } else if (random.chance(2)) {
      for (size_t i = at; i < bytes.size() && i < at + 8; ++i)
        bytes[i] = random.chance(2) ? 0xff : 0x80;
    } else {
      bytes[at] ^= static_cast<uint8_t>(1u << random.between(0, 7));
    }
  }
}

void check_scan(Random& random, const File& file, int64_t size, int64_t base) {
  const int64_t end = random.chance(4) ? random.between(0, size) : size;
  const ScanRequest request = {base,
                               random.chance(4) ? random.between(0, end) : 0,
                               end,
                               random.between(0, 20),
                               random.chance(2),
                               random.chance(3),
                               random.between(-1, 10)};
  test::Scanned result;
  const auto rows = static_cast<size_t>(random.between(0, 20));
  CHECK(test::scan_into(file, request, rows, &result).ok());
  CHECK(result.batches.size() <= rows);
  CHECK(result.batches.size() == result.positions.size());
  CHECK(result.end_position >= request.from && result.end_position <= end);
  int64_t position = request.from;
  for (size_t i = 0; i < result.batches.size(); ++i) {
    CHECK(result.positions[i] >= position);
    position = result.positions[i] + result.batches[i].size;
    CHECK(position <= result.end_position);
    CHECK(result.batches[i].last_offset >= base);
    if (i > 0) CHECK(result.batches[i].last_offset > result.batches[i - 1].last_offset);
  }
}

void check_translate(Random& random, const LogView& log, IndexFile& index) {
  const int64_t target =
      random.chance(4) ? random.between(INT32_MIN, INT32_MAX) : random.between(0, 300);
  int64_t n;
  Translation found;
  CHECK(index.lookup(target, &n, &found.index_entry).ok());
  CHECK(n >= -1 && n < index.entries());
  const int64_t from = random.chance(3) ? random.between(0, log.size + 5) : 0;
  if (random.chance(2))
    found.next_entry = {random.between(-5, 400),
                        static_cast<int32_t>(random.between(-5, log.size + 5))};
  CHECK(test::translate_in(log, target, from, Wait::yes, &found).ok());
  CHECK(found.position >= 0 && found.position <= log.size);
  if (found.stop != ScanStop::found) return;
  CHECK(found.position + found.batch.size <= log.size);
  CHECK(found.batch.last_offset >= wrapping_add(log.segment_base, target));
  const SliceBounds bounds = {0, random.between(0, INT32_MAX), random.between(0, 100),
                              random.chance(2)};
  const int64_t length = slice_length(log, found, bounds);
  CHECK(length >= 0 && found.position + length <= log.size);
}

void check_find_time(Random& random, const LogView& log, IndexFile& offsets, IndexFile& times) {
  const TimeQuery query = {random.between(-2, 20), random.between(0, 200), random.between(0, 300)};
  TimeStart start;
  CHECK(start_of_time(offsets, times, query.timestamp, query.first_offset, &start).ok());
  if (random.chance(2)) start.ask = static_cast<size_t>(random.between(0, 5000));
  std::vector<uint8_t> buffer(static_cast<size_t>(random.between(100, 9000)));
  Window window(log.file, buffer.data(), buffer.size(), log.size, Wait::no);
  FoundRecord found;
  CHECK(find_time(log, start, query, &window, &found).ok());
  if (!found.found) return;
  CHECK(found.timestamp >= query.timestamp);
  CHECK(found.offset >= query.first_offset && found.offset < query.end_offset);
}

std::vector<uint8_t> records(Random& random, int64_t count) {
  std::vector<uint8_t> bytes;
  for (; count > 0; --count) {
    test::add_record(
        bytes, {.timestamp_delta = static_cast<int64_t>(random.next()) >> random.between(0, 63),
                .offset_delta = static_cast<int32_t>(random.between(0, 300)),
                .key_size = static_cast<int32_t>(random.between(-1, 70)),
                .value_size = static_cast<int32_t>(random.between(-1, 300)),
                .headers = static_cast<int32_t>(random.between(0, 3)),
                .pad = static_cast<int>(random.chance(3) ? random.between(1, 5) : 1),
                .fill = static_cast<uint8_t>(random.between(0, 5))});
  }
  return bytes;
}

// Any number where a position or a size should be.
int32_t lie(Random& random) {
  if (random.chance(4)) return random.chance(2) ? INT32_MAX : INT32_MIN;
  return static_cast<int32_t>(random.between(-2, 3000));
}

void lie_about_rows(Random& random, const RecordColumns& columns) {
  int32_t* const lists[] = {columns.positions, columns.ends, columns.key_positions,
                            columns.key_sizes, columns.value_sizes};
  for (int64_t n = random.between(0, 4); n > 0; --n)
    lists[random.between(0, 4)][random.between(0, columns.capacity - 1)] = lie(random);
}

void check_parsed(const std::vector<uint8_t>& bytes, const RecordColumns& columns, int64_t count) {
  int32_t position = 0;
  for (int64_t row = 0; row < count; ++row) {
    CHECK(columns.positions[row] == position);
    position = columns.ends[row];
    CHECK(columns.key_positions[row] > columns.positions[row]);
    CHECK(columns.key_positions[row] + std::max(0, columns.key_sizes[row]) < position);
  }
  CHECK(position == static_cast<int32_t>(bytes.size()));
}

// Of all rows together, whatever they say.
void check_copy(Random& random, Span bytes, const RecordColumns& columns) {
  const auto size = static_cast<size_t>(random.chance(2) ? random.between(0, 500) : 6000);
  std::vector<uint8_t> out(size);
  const int64_t from = random.between(0, static_cast<int64_t>(size));
  const TimestampMove move = {random.chance(2), static_cast<int64_t>(random.next())};
  const CopyResult copied =
      copy_records(bytes, columns, {0, columns.capacity}, move, {out.data(), size}, from);
  if (copied.position < 0) return;
  CHECK(copied.bad_row == -1 && copied.position <= static_cast<int64_t>(size));
  int64_t kept = 0;
  for (int64_t row = 0; row < columns.capacity; ++row) kept += columns.keep[row] == 0 ? 0 : 1;
  test::OwnColumns again(static_cast<size_t>(kept));
  CHECK(parse_records({out.data(), from, copied.position, kept, 0}, again.columns, 0) == -1);
}

void check_map(Random& random, Span bytes, const RecordColumns& columns) {
  const auto map = OffsetMap::open(random.between(1, 20), random.chance(2) ? md5_keys : xxh3_keys);
  for (int n = 0; n < 3; ++n) {
    const int64_t most = random.between(0, map->slots() - 1);
    const Rows rows = {0, random.between(0, columns.capacity)};
    const OffsetMap::Put put = map->put(bytes, columns, rows, random.between(0, 100), most);
    CHECK(put.taken >= 0 && put.taken <= rows.count && put.bad_row < rows.count);
    CHECK(map->size() < map->slots());
    CHECK(map->mark_superseded(bytes, columns, rows) < rows.count);
    if (random.chance(4)) map->clear();
  }
}

void check_records(Random& random) {
  const int64_t count = random.between(1, 12);
  auto bytes = random.chance(6) ? random_bytes(random, 300) : records(random, count);
  mutate(random, bytes);
  bytes.shrink_to_fit();
  test::OwnColumns own(static_cast<size_t>(count));
  const int64_t end = static_cast<int64_t>(bytes.size());
  const int64_t bad = parse_records({bytes.data(), 0, end, count, 50}, own.columns, 0);
  CHECK(bad >= -1 && bad <= end);
  if (bad == -1) check_parsed(bytes, own.columns, count);
  if (random.chance(2)) lie_about_rows(random, own.columns);
  for (int64_t row = 0; row < count; ++row) own.columns.keep[row] = random.chance(3) ? 0 : 1;
  const Span span = {bytes.data(), bytes.size()};
  check_copy(random, span, own.columns);
  check_map(random, span, own.columns);
}

void check_files(Random& random) {
  auto bytes = random.chance(4) ? random_bytes(random, 3000) : batches(random);
  mutate(random, bytes);
  auto& disk = test::reset_disk();
  disk.files["log"] = bytes;
  disk.files["index"] = random_bytes(random, random.chance(10) ? 30000 : 200);
  disk.files["times"] = random_bytes(random, random.chance(10) ? 30000 : 200);
  disk.can_map = !random.chance(3);
  if (random.chance(3)) disk.most_a_call = static_cast<size_t>(random.between(1, 500));
  Status status;
  const int64_t base = random.chance(6) ? random.between(0, INT64_MAX) : 0;
  const auto log = LogFile::open(test::memory_file_ops(), "log", OpenMode::read, base, 0, &status);
  CHECK(status.ok());
  const auto index = IndexFile::open(test::memory_file_ops(), "index", IndexKind::offset,
                                     OpenMode::write, 0, true, &status);
  CHECK(status.ok());
  const auto times = IndexFile::open(test::memory_file_ops(), "times", IndexKind::time,
                                     OpenMode::write, 0, true, &status);
  CHECK(status.ok());
  check_scan(random, *log->file(), log->size(), base);
  check_find_time(random, log->view(), *index, *times);
  for (int i = 0; i < 4; ++i) check_translate(random, log->view(), *index);
}

void round(uint64_t seed) {
  Random random(seed);
  check_files(random);
  check_records(random);
}

}  // namespace

// Set where a sanitizer is built in.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

uint64_t seed;
bool finished = false;

void name_the_seed() {
  if (!finished) std::fprintf(stderr, "fuzz: failed with seed %" PRIu64 "\n", seed);
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  const auto limit = std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 10);
  std::atexit(name_the_seed);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_the_seed);
  uint64_t rounds = 0;
  if (argc > 2) {
    seed = std::strtoull(argv[2], nullptr, 10);
    round(seed);
  } else {
    seed = static_cast<uint64_t>(start.time_since_epoch().count());
    for (; std::chrono::steady_clock::now() - start < limit; ++rounds, ++seed) round(seed);
  }
  finished = true;
  std::printf("fuzz: %" PRIu64 " rounds\n", rounds);
  return 0;
}
