// Every way to a checksum gives what the bytewise one gives.
#include "../core/crc.h"

#include <cstring>
#include <vector>

#include "../core/crc_tables.h"
#include "harness.h"

using namespace plog;

namespace {

std::vector<uint8_t> noise(size_t length) {
  test::Random random(7);
  std::vector<uint8_t> bytes(length);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
  return bytes;
}

}  // namespace

PLOG_TEST(crc_known_answers) {
  const auto* text = reinterpret_cast<const uint8_t*>("123456789");
  CHECK(crc32c(0, text, 9) == 0xe3069283);
  CHECK(crc32_ieee(0, text, 9) == 0xcbf43926);
  CHECK(crc32c(0, text, 0) == 0);
}

PLOG_TEST(crc_kernels_agree_at_every_length_and_alignment) {
  const auto bytes = noise(3000);
  Crc32cKernel kernels[4];
  const int count = crc32c_kernels(kernels);
  CHECK(count >= 1);
  for (int k = 0; k < count; ++k) {
    for (size_t length = 0; length < 2000; ++length) {
      const uint8_t* start = bytes.data() + length % 67;
      const auto crc = static_cast<uint32_t>(length * 2654435761u);
      CHECK(kernels[k].update(crc, start, length) == crc_bytewise<kCastagnoli>(crc, start, length));
    }
  }
}

PLOG_TEST(crc_of_pieces_is_the_crc_of_the_whole) {
  const auto bytes = noise(1000);
  const uint32_t whole = crc32c(0, bytes.data(), bytes.size());
  const uint32_t whole_ieee = crc32_ieee(0, bytes.data(), bytes.size());
  for (size_t cut = 0; cut <= bytes.size(); cut += 13) {
    CHECK(crc32c(crc32c(0, bytes.data(), cut), bytes.data() + cut, bytes.size() - cut) == whole);
    CHECK(crc32_ieee(crc32_ieee(0, bytes.data(), cut), bytes.data() + cut, bytes.size() - cut) ==
          whole_ieee);
  }
}
