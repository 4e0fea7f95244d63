// Zig-zag numbers of base 128, as records hold them: at most 5 bytes for an
// int32, 10 for an int64. As in Kafka, one may be longer than need be, and
// bits beyond its type are dropped. No byte at or behind `end` is read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace plog {

struct VarintCursor {
  const uint8_t* at;
  const uint8_t* end;
  // False once a number was read that takes more bytes than need be.
  bool shortest = true;

  size_t left() const { return static_cast<size_t>(end - at); }

  // False where no number ends in time.
  bool read(int32_t* value) {
    uint64_t zigzag;
    if (!read_bits(5, &zigzag)) return false;
    const auto bits = static_cast<uint32_t>(zigzag);
    if (bits != zigzag) shortest = false;
    *value = static_cast<int32_t>((bits >> 1) ^ (0 - (bits & 1)));
    return true;
  }

  bool read(int64_t* value) {
    uint64_t bits;
    if (!read_bits(10, &bits)) return false;
    *value = static_cast<int64_t>((bits >> 1) ^ (0 - (bits & 1)));
    return true;
  }

 private:
  bool read_bits(int most, uint64_t* bits) {
    if (at == end) return false;
    uint8_t byte = *at++;
    *bits = byte;
    if (byte < 0x80) return true;
    *bits &= 0x7f;
    for (int n = 1; n < most && at != end; ++n) {
      byte = *at++;
      *bits |= uint64_t{byte & 0x7fu} << (7 * n);
      if (byte >= 0x80) continue;
      if (byte == 0 || (n == 9 && byte > 1)) shortest = false;
      return true;
    }
    return false;
  }
};

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ (0 - (static_cast<uint64_t>(value) >> 63));
}

// Bytes of the shortest form; of an int32 as well.
inline size_t varint_size(int64_t value) {
  return (static_cast<size_t>(std::bit_width(zigzag(value) | 1)) + 6) / 7;
}

// Writes the shortest form; there is room for `varint_size(value)` bytes.
inline uint8_t* write_varint(uint8_t* at, int64_t value) {
  uint64_t rest = zigzag(value);
  for (; rest > 0x7f; rest >>= 7) *at++ = static_cast<uint8_t>(rest | 0x80);
  *at++ = static_cast<uint8_t>(rest);
  return at;
}

}  // namespace plog
