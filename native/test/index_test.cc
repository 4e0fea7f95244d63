// Index files: lookups against a model, mapped and read, and their lengths.
#include <vector>

#include "../core/bytes.h"
#include "../core/index_file.h"
#include "../core/index_search.h"
#include "harness.h"
#include "memory_disk.h"

using namespace plog;

namespace {

std::unique_ptr<IndexFile> create(int64_t capacity, bool may_map = true) {
  Status status;
  auto index = IndexFile::open(test::memory_file_ops(), "index", IndexKind::offset,
                               OpenMode::create, capacity, may_map, &status);
  CHECK(status.ok());
  return index;
}

void append(IndexFile& index, int32_t key, int32_t value) {
  uint8_t entry[8];
  store_u32(entry, static_cast<uint32_t>(key));
  store_u32(entry + 4, static_cast<uint32_t>(value));
  bool damaged = false;
  CHECK(index.append(entry, 8, &damaged).ok());
}

}  // namespace

PLOG_TEST(index_search_equals_a_linear_one) {
  test::Random random(3);
  for (const int64_t count : {0, 1, 2, 1023, 1024, 1025, 1026, 3000}) {
    std::vector<int64_t> keys;
    for (int64_t i = 0; i < count; ++i)
      keys.push_back((keys.empty() ? 0 : keys.back()) + random.between(0, 3));
    const auto key_at = [&](int64_t n) { return keys.at(static_cast<size_t>(n)); };
    for (int64_t key = -2; key < count * 3 + 3; ++key) {
      int64_t expected = -1;
      while (expected + 1 < count && keys[static_cast<size_t>(expected) + 1] <= key) ++expected;
      CHECK(search_index(key_at, count, 8, key) == expected);
    }
  }
}

PLOG_TEST(index_lookups_agree_mapped_and_read) {
  test::reset_disk();
  auto index = create(3000 * 8);
  for (int i = 0; i < 2500; ++i) append(*index, i * 2, i);
  for (int key = -1; key < 5010; key += 7) {
    int64_t n, other;
    IndexEntry entry{}, same{};
    CHECK(index->lookup(key, &n, &entry).ok());
    CHECK(lookup_in_file(*index->file(), IndexKind::offset, index->entries(), key, &other, &same)
              .ok());
    CHECK(n == other && entry.key == same.key && entry.value == same.value);
  }
  CHECK(test::disk().mappings == 1);
  index.reset();
  CHECK(test::disk().mappings == 0 && test::disk().open_files == 0);
}

PLOG_TEST(index_does_without_mappings) {
  test::reset_disk().can_map = false;
  auto index = create(80);
  append(*index, 5, 50);
  int64_t n;
  IndexEntry entry{};
  CHECK(index->lookup(9, &n, &entry).ok() && n == 0 && entry.value == 50);
}

PLOG_TEST(index_unmaps_before_the_file_gets_shorter) {
  test::reset_disk();
  auto index = create(80);
  append(*index, 1, 10);
  append(*index, 2, 20);
  IndexEntry entry{};
  CHECK(index->entry(1, &entry).ok() && test::disk().mappings == 1);
  CHECK(index->truncate(1).ok() && test::disk().mappings == 0);
  CHECK(test::disk().files["index"].size() == 80 && test::disk().files["index"][11] == 0);
  CHECK(index->entry(0, &entry).ok() && index->trim().ok() && test::disk().mappings == 0);
  CHECK(index->capacity() == 1 && test::disk().files["index"].size() == 8);
  CHECK(index->resize(160).ok() && index->capacity() == 20);
  append(*index, 3, 30);
  CHECK(index->entry(1, &entry).ok() && entry.value == 30);
}

PLOG_TEST(index_growth_drops_odd_bytes) {
  test::reset_disk().files["index"] = std::vector<uint8_t>(12, 0xee);
  Status status;
  auto index = IndexFile::open(test::memory_file_ops(), "index", IndexKind::offset, OpenMode::write,
                               0, true, &status);
  CHECK(status.ok() && index->entries() == 1 && index->length() == 12);
  CHECK(index->resize(24).ok());
  CHECK(test::disk().files["index"][8] == 0 && test::disk().files["index"].size() == 24);
}
