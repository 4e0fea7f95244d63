// Tables for checksums of reflected 32-bit polynomials, eight bytes a step,
// made at compile time; and the bytewise form that all others are tested with.
// Values here are raw register states: no inversion before or after.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plog {

inline constexpr uint32_t kCastagnoli = 0x82f63b78;  // CRC-32C, reflected
inline constexpr uint32_t kIeee = 0xedb88320;        // CRC-32, reflected

template <uint32_t Polynomial>
struct CrcTables {
  uint32_t row[8][256];

  constexpr CrcTables() : row{} {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? Polynomial : 0);
      row[0][i] = value;
    }
    for (int k = 1; k < 8; ++k) {
      for (int i = 0; i < 256; ++i) row[k][i] = (row[k - 1][i] >> 8) ^ row[0][row[k - 1][i] & 0xff];
    }
  }
};

template <uint32_t Polynomial>
inline constexpr CrcTables<Polynomial> kCrcTables{};

template <uint32_t Polynomial>
uint32_t crc_bytewise(uint32_t crc, const uint8_t* bytes, size_t length) {
  const auto& row = kCrcTables<Polynomial>.row;
  for (size_t i = 0; i < length; ++i) crc = (crc >> 8) ^ row[0][(crc ^ bytes[i]) & 0xff];
  return crc;
}

template <uint32_t Polynomial>
uint32_t crc_sliced(uint32_t crc, const uint8_t* bytes, size_t length) {
  const auto& row = kCrcTables<Polynomial>.row;
  for (; length >= 8; bytes += 8, length -= 8) {
    const uint32_t low = crc ^ (uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 |
                                uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24);
    crc = row[7][low & 0xff] ^ row[6][(low >> 8) & 0xff] ^ row[5][(low >> 16) & 0xff] ^
          row[4][low >> 24] ^ row[3][bytes[4]] ^ row[2][bytes[5]] ^ row[1][bytes[6]] ^
          row[0][bytes[7]];
  }
  return crc_bytewise<Polynomial>(crc, bytes, length);
}

}  // namespace plog
