// Records taken apart and copied.
#include "../core/record_copy.h"
#include "records.h"

using namespace plog;
using test::add_record;
using test::OwnColumns;

namespace {

std::vector<uint8_t> three() {
  std::vector<uint8_t> bytes;
  add_record(bytes, {.timestamp_delta = 1, .offset_delta = 0, .key_size = 3, .value_size = 5});
  add_record(bytes, {.timestamp_delta = 70, .offset_delta = 4, .key_size = 0, .pad = 5});
  add_record(bytes, {.timestamp_delta = -9, .offset_delta = 9, .value_size = 200, .headers = 3});
  return bytes;
}

int64_t parse(const std::vector<uint8_t>& bytes, int64_t count, OwnColumns& own) {
  const RecordRegion region = {bytes.data(), 0, static_cast<int64_t>(bytes.size()), count, 100};
  return parse_records(region, own.columns, 0);
}

}  // namespace

PLOG_TEST(record_columns_hold_what_their_memory_holds) {
  for (size_t rows = 0; rows < 40; ++rows)
    CHECK(OwnColumns(rows).columns.capacity == int64_t(rows));
  int64_t few = 0;
  CHECK(RecordColumns(&few, 0).capacity == 0);
  CHECK(RecordColumns(&few, 8).capacity == 0);
}

PLOG_TEST(record_parse_gives_the_fields) {
  const auto bytes = three();
  OwnColumns own(3);
  const RecordColumns& columns = own.columns;
  CHECK(parse(bytes, 3, own) == -1);
  CHECK(columns.offsets[0] == 100 && columns.offsets[1] == 104 && columns.offsets[2] == 109);
  CHECK(columns.timestamp_deltas[1] == 70 && columns.timestamp_deltas[2] == -9);
  CHECK(columns.key_sizes[0] == 3 && columns.key_sizes[1] == 0 && columns.key_sizes[2] == -1);
  CHECK(columns.value_sizes[0] == 5 && columns.value_sizes[1] == -1);
  CHECK(columns.key_positions[0] == 5);
  CHECK(columns.ends[2] == static_cast<int32_t>(bytes.size()));
}

PLOG_TEST(record_parse_of_every_beginning) {
  const auto bytes = three();
  OwnColumns own(3);
  CHECK(parse(bytes, 3, own) == -1);
  const int32_t starts[3] = {own.columns.positions[0], own.columns.positions[1],
                             own.columns.positions[2]};
  for (size_t length = 0; length < bytes.size(); ++length) {
    // In memory of exactly this length, so that a read behind it is seen.
    const std::vector<uint8_t> beginning(bytes.begin(), bytes.begin() + int64_t(length));
    const int64_t bad = parse(beginning, 3, own);
    CHECK(bad == starts[0] || bad == starts[1] || bad == starts[2]);
    CHECK(bad <= static_cast<int64_t>(length));
  }
  CHECK(parse(bytes, 2, own) == starts[2]);
}

PLOG_TEST(varints_of_every_size) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const int64_t value : {int64_t(uint64_t{1} << bit), ~int64_t(uint64_t{1} << bit)}) {
      std::vector<uint8_t> bytes;
      test::add_varint(bytes, value);
      uint8_t written[10];
      CHECK(varint_size(value) == bytes.size());
      CHECK(write_varint(written, value) == written + bytes.size());
      CHECK(std::equal(bytes.begin(), bytes.end(), written));
      VarintCursor cursor{bytes.data(), bytes.data() + bytes.size()};
      int64_t read;
      CHECK(cursor.read(&read) && read == value && cursor.left() == 0 && cursor.shortest);
      cursor = {bytes.data(), bytes.data() + bytes.size() - 1};
      CHECK(!cursor.read(&read));
    }
  }
  const uint8_t endless[11] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
  VarintCursor cursor{endless, endless + 11};
  int64_t wide;
  int32_t narrow;
  CHECK(!cursor.read(&wide));
  cursor = {endless + 5, endless + 11};
  CHECK(!cursor.read(&narrow));
  cursor = {endless + 6, endless + 11};
  CHECK(cursor.read(&narrow) && narrow == 0 && !cursor.shortest);
}

PLOG_TEST(record_copy_keeps_what_it_is_told_to) {
  auto bytes = three();
  OwnColumns own(3);
  CHECK(parse(bytes, 3, own) == -1);
  own.columns.keep[1] = own.columns.keep[2] = 1;
  std::vector<uint8_t> expected;
  add_record(expected, {.timestamp_delta = 80, .offset_delta = 4, .key_size = 0});
  add_record(expected, {.timestamp_delta = 1, .offset_delta = 9, .value_size = 200, .headers = 3});
  std::vector<uint8_t> out(expected.size());
  const Span from = {bytes.data(), bytes.size()};
  const CopyResult copied =
      copy_records(from, own.columns, {0, 3}, {true, 10}, {out.data(), out.size()}, 0);
  CHECK(copied.bad_row == -1 && copied.position == static_cast<int64_t>(out.size()));
  CHECK(out == expected);
  CHECK(*own.columns.largest_timestamp_delta == 70);
  for (size_t length = 0; length < expected.size(); ++length) {
    std::vector<uint8_t> shorter(length);
    const CopyResult none =
        copy_records(from, own.columns, {0, 3}, {true, 10}, {shorter.data(), length}, 0);
    CHECK(none.position == -1 && none.bad_row == -1);
  }
}
