// Keys' hashes, and the map of them.
#include "../core/offset_map.h"

#include <map>
#include <string>

#include "../core/md5.h"
#include "records.h"

using namespace plog;
using test::OwnColumns;
using test::Random;

namespace {

std::string hex(const KeyHash& hash) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", hash.bytes()[i]);
    text += pair;
  }
  return text;
}

std::vector<uint8_t> counted(size_t length) {
  std::vector<uint8_t> bytes(length);
  for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(i * 131 + 7);
  return bytes;
}

std::string of_text(HashKeys hash, const std::string& text) {
  const Key key = {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  KeyHash result;
  hash(&key, 1, &result);
  return hex(result);
}

}  // namespace

PLOG_TEST(md5_known_answers) {
  CHECK(of_text(md5_keys, "") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(of_text(md5_keys, "abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(of_text(md5_keys, "abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
  CHECK(of_text(md5_keys,
                "1234567890123456789012345678901234567890123456789012345678901234567890"
                "1234567890") == "57edf4a22be3c955ac49da2e2107b67a");
}

PLOG_TEST(md5_kernels_agree_at_every_length_and_number_of_keys) {
  const auto bytes = counted(200);
  Md5Kernel kernels[2];
  const int kernel_count = md5_kernels(kernels);
  for (int k = 0; k < kernel_count; ++k) {
    for (int count = 1; count <= kMostKeys; ++count) {
      for (size_t first = 0; first < 100; first += 9) {
        Key keys[kMostKeys];
        KeyHash hashes[kMostKeys], expected;
        for (int i = 0; i < count; ++i)
          keys[i] = {bytes.data() + i, (first + 7 * static_cast<size_t>(i)) % 130};
        md5_keys_by(&kernels[k], keys, count, hashes);
        for (int i = 0; i < count; ++i) {
          md5(keys[i].bytes, keys[i].size, &expected);
          CHECK(hashes[i] == expected);
        }
      }
    }
  }
}

// Hashes of all lengths, each hashed on with the one before: from the reference implementation.
PLOG_TEST(xxh3_of_every_length) {
  const auto bytes = counted(3000);
  KeyHash sum = {};
  for (size_t size = 0; size <= 3000; size += size < 300 ? 1 : 61) {
    const Key key = {bytes.data(), size};
    KeyHash hash;
    xxh3_keys(&key, 1, &hash);
    uint8_t both[32];
    std::memcpy(both, sum.bytes(), 16);
    std::memcpy(both + 16, hash.bytes(), 16);
    const Key chained = {both, sizeof both};
    xxh3_keys(&chained, 1, &sum);
  }
  CHECK(hex(sum) == "d1b8d28ba32da6943e5a890684e64a5a");
}

PLOG_TEST(offset_map_beside_a_plain_map) {
  Random random(11);
  for (const HashKeys hash : {md5_keys, xxh3_keys}) {
    const auto map = OffsetMap::open(300, hash);
    std::map<std::vector<uint8_t>, int64_t> model;
    for (int turn = 0; turn < 60; ++turn) {
      OwnColumns own(100);
      std::vector<uint8_t> bytes;
      for (int64_t row = 0; row < 100; ++row) {
        const auto n = static_cast<uint8_t>(random.between(0, 255));
        own.columns.key_positions[row] = static_cast<int32_t>(bytes.size());
        own.columns.key_sizes[row] = n % 70;
        own.columns.offsets[row] = random.between(0, 1000);
        bytes.insert(bytes.end(), n % 70, n);
      }
      const Span span = {bytes.data(), bytes.size()};
      CHECK(map->put(span, own.columns, {0, 100}, 0, 299).taken == 100);
      for (int64_t row = 0; row < 100; ++row) {
        const auto key = bytes.begin() + own.columns.key_positions[row];
        model[{key, key + own.columns.key_sizes[row]}] = own.columns.offsets[row];
      }
      CHECK(map->size() == static_cast<int64_t>(model.size()));
      CHECK(map->mark_superseded(span, own.columns, {0, 100}) == -1);
      for (int64_t row = 0; row < 100; ++row) {
        const auto key = bytes.begin() + own.columns.key_positions[row];
        const int64_t last = model[{key, key + own.columns.key_sizes[row]}];
        CHECK(own.columns.superseded[row] == (last > own.columns.offsets[row] ? 1 : 0));
      }
    }
    map->clear();
    CHECK(map->size() == 0);
  }
}
