// Records taken apart and copied, keys hashed, and the map of keys.
#include "../core/md5.h"
#include "../core/offset_map.h"
#include "../core/record_copy.h"
#include "../test/records.h"
#include "counted.h"

using namespace plog;

namespace {

constexpr int kRecords = 20'000;
constexpr int kKeyBytes = 16;
constexpr int kValueBytes = 100;

// Records with keys that differ, and their rows.
struct Parsed {
  std::vector<uint8_t> bytes;
  test::OwnColumns own{kRecords};

  Parsed() {
    for (int n = 0; n < kRecords; ++n)
      test::add_record(bytes,
                       {.offset_delta = n, .key_size = kKeyBytes, .value_size = kValueBytes});
  }

  void parse() { CHECK(parse_records(region(), own.columns, 0) == -1); }

  // Behind `parse`.
  void number_keys() {
    for (int n = 0; n < kRecords; ++n)
      std::memcpy(bytes.data() + own.columns.key_positions[n], &n, sizeof n);
  }

  RecordRegion region() const {
    return {bytes.data(), 0, static_cast<int64_t>(bytes.size()), kRecords, 0};
  }
  Span span() { return {bytes.data(), bytes.size()}; }
};

}  // namespace

PLOG_COUNT(parse, "parse records") {
  Parsed parsed;
  plog_counted([&] { parsed.parse(); });
}

PLOG_COUNT(copy, "copy records") {
  Parsed parsed;
  parsed.parse();
  for (int n = 0; n < kRecords; ++n) parsed.own.columns.keep[n] = 1;
  std::vector<uint8_t> out(parsed.bytes.size() * 2);
  CopyResult result{};
  plog_counted([&] {
    result = copy_records(parsed.span(), parsed.own.columns, {0, kRecords}, {true, 5},
                          {out.data(), out.size()}, 0);
  });
  CHECK(result.position > 0 && result.bad_row == -1);
}

PLOG_COUNT(md5_of_keys, "MD5 of keys, many a call") {
  std::vector<uint8_t> bytes(kMostKeys * kKeyBytes, 'k');
  Key keys[kMostKeys];
  for (int n = 0; n < kMostKeys; ++n) keys[n] = {bytes.data() + n * kKeyBytes, kKeyBytes};
  KeyHash hashes[kMostKeys];
  plog_counted([&] {
    for (int n = 0; n < 1'000; ++n) md5_keys(keys, kMostKeys, hashes);
  });
}

PLOG_COUNT(map_put, "key map, put to a load of 0.9") {
  Parsed parsed;
  parsed.parse();
  parsed.number_keys();
  const auto map = OffsetMap::open(kRecords * 10 / 9, md5_keys);
  plog_counted([&] {
    map->put(parsed.span(), parsed.own.columns, {0, kRecords}, 0, map->slots() - 1);
  });
  CHECK(map->size() == kRecords);
}

PLOG_COUNT(map_get, "key map, get at a load of 0.9") {
  Parsed parsed;
  parsed.parse();
  parsed.number_keys();
  const auto map = OffsetMap::open(kRecords * 10 / 9, md5_keys);
  map->put(parsed.span(), parsed.own.columns, {0, kRecords}, 0, map->slots() - 1);
  int64_t bad = 0;
  plog_counted([&] {
    bad = map->mark_superseded(parsed.span(), parsed.own.columns, {0, kRecords});
  });
  CHECK(bad == -1);
}
