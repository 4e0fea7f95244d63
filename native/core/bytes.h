// Big-endian loads and stores at any alignment.
// Bounds are the caller's: every use stands behind a check of the length.
#pragma once

#include <cstdint>

namespace plog {

inline uint16_t load_u16(const uint8_t* at) { return static_cast<uint16_t>((at[0] << 8) | at[1]); }

inline uint32_t load_u32(const uint8_t* at) {
  return (uint32_t{at[0]} << 24) | (uint32_t{at[1]} << 16) | (uint32_t{at[2]} << 8) |
         uint32_t{at[3]};
}

inline uint64_t load_u64(const uint8_t* at) {
  return (uint64_t{load_u32(at)} << 32) | load_u32(at + 4);
}

// Conversion of an unsigned value to a signed one is modular since C++20.
inline int16_t load_i16(const uint8_t* at) { return static_cast<int16_t>(load_u16(at)); }
inline int32_t load_i32(const uint8_t* at) { return static_cast<int32_t>(load_u32(at)); }
inline int64_t load_i64(const uint8_t* at) { return static_cast<int64_t>(load_u64(at)); }

inline void store_u32(uint8_t* at, uint32_t value) {
  at[0] = static_cast<uint8_t>(value >> 24);
  at[1] = static_cast<uint8_t>(value >> 16);
  at[2] = static_cast<uint8_t>(value >> 8);
  at[3] = static_cast<uint8_t>(value);
}

// Sum that wraps instead of being undefined: file bytes may hold any values.
inline int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace plog
