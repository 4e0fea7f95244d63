// XXH3, 128 bits, seed 0, with the default secret: written from the public
// specification. All loads are little-endian; the hash's bytes are its high
// half, then its low half, big-endian each (the canonical form).
#include <bit>

#include "key_hash.h"
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace plog {

namespace {

constexpr uint64_t kPrime32[3] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d};
constexpr uint64_t kPrime64[5] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                  0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};
constexpr uint64_t kMix1 = 0x165667919e3779f9;
constexpr uint64_t kMix2 = 0x9fb21c651e98df25;

constexpr size_t kSecretSize = 192;
constexpr size_t kLeastSecretSize = 136;
constexpr uint8_t kSecret[kSecretSize] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};

struct Wide {
  uint64_t low, high;
};

uint32_t read32(const uint8_t* at) {
  return uint32_t{at[0]} | (uint32_t{at[1]} << 8) | (uint32_t{at[2]} << 16) |
         (uint32_t{at[3]} << 24);
}

uint64_t read64(const uint8_t* at) { return read32(at) | (uint64_t{read32(at + 4)} << 32); }

uint32_t swap32(uint32_t word) {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >> 8) & 0xff00) | (word >> 24);
}

uint64_t swap64(uint64_t word) {
  return (uint64_t{swap32(static_cast<uint32_t>(word))} << 32) |
         swap32(static_cast<uint32_t>(word >> 32));
}

Wide multiply(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#elif defined(_MSC_VER) && defined(_M_X64)
  Wide out;
  out.low = _umul128(a, b, &out.high);
  return out;
#else
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t low = a0 * b0;
  const uint64_t middle = a1 * b0 + (low >> 32);
  const uint64_t other = a0 * b1 + (middle & 0xffffffff);
  return {(low & 0xffffffff) | (other << 32), a1 * b1 + (middle >> 32) + (other >> 32)};
#endif
}

uint64_t folded_product(uint64_t a, uint64_t b) {
  const Wide product = multiply(a, b);
  return product.low ^ product.high;
}

uint64_t avalanche(uint64_t hash) {
  hash ^= hash >> 37;
  hash *= kMix1;
  return hash ^ (hash >> 32);
}

uint64_t old_avalanche(uint64_t hash) {  // of XXH64
  hash ^= hash >> 33;
  hash *= kPrime64[1];
  hash ^= hash >> 29;
  hash *= kPrime64[2];
  return hash ^ (hash >> 32);
}

uint64_t secret_pair(size_t at) { return read64(kSecret + at) ^ read64(kSecret + at + 8); }

Wide hash_0() { return {old_avalanche(secret_pair(64)), old_avalanche(secret_pair(80))}; }

Wide hash_1_to_3(const uint8_t* in, size_t size) {
  const uint32_t low = (uint32_t{in[0]} << 16) | (uint32_t{in[size >> 1]} << 24) |
                       uint32_t{in[size - 1]} | (static_cast<uint32_t>(size) << 8);
  const uint32_t high = std::rotl(swap32(low), 13);
  const uint64_t flip_low = read32(kSecret) ^ read32(kSecret + 4);
  const uint64_t flip_high = read32(kSecret + 8) ^ read32(kSecret + 12);
  return {old_avalanche(low ^ flip_low), old_avalanche(high ^ flip_high)};
}

Wide hash_4_to_8(const uint8_t* in, size_t size) {
  const uint64_t word = read32(in) | (uint64_t{read32(in + size - 4)} << 32);
  Wide out = multiply(word ^ secret_pair(16), kPrime64[0] + (size << 2));
  out.high += out.low << 1;
  out.low ^= out.high >> 3;
  out.low ^= out.low >> 35;
  out.low *= kMix2;
  out.low ^= out.low >> 28;
  out.high = avalanche(out.high);
  return out;
}

Wide hash_9_to_16(const uint8_t* in, size_t size) {
  const uint64_t low = read64(in);
  uint64_t high = read64(in + size - 8);
  Wide mixed = multiply(low ^ high ^ secret_pair(32), kPrime64[0]);
  mixed.low += uint64_t{size - 1} << 54;
  high ^= secret_pair(48);
  mixed.high += high + (high & 0xffffffff) * (kPrime32[1] - 1);
  mixed.low ^= swap64(mixed.high);
  const Wide out = multiply(mixed.low, kPrime64[1]);
  return {avalanche(out.low), avalanche(out.high + mixed.high * kPrime64[1])};
}

uint64_t mix16(const uint8_t* in, const uint8_t* secret) {
  return folded_product(read64(in) ^ read64(secret), read64(in + 8) ^ read64(secret + 8));
}

void mix32(Wide& sum, const uint8_t* in, const uint8_t* other, const uint8_t* secret) {
  sum.low += mix16(in, secret);
  sum.low ^= read64(other) + read64(other + 8);
  sum.high += mix16(other, secret + 16);
  sum.high ^= read64(in) + read64(in + 8);
}

Wide finish_middle(Wide sum, size_t size) {
  const uint64_t high = sum.low * kPrime64[0] + sum.high * kPrime64[3] + size * kPrime64[1];
  return {avalanche(sum.low + sum.high), 0 - avalanche(high)};
}

Wide hash_17_to_128(const uint8_t* in, size_t size) {
  Wide sum = {size * kPrime64[0], 0};
  for (size_t n = (size - 1) / 32 + 1; n-- > 0;)
    mix32(sum, in + 16 * n, in + size - 16 * (n + 1), kSecret + 32 * n);
  return finish_middle(sum, size);
}

Wide hash_129_to_240(const uint8_t* in, size_t size) {
  Wide sum = {size * kPrime64[0], 0};
  for (size_t n = 0; n < 4; ++n) mix32(sum, in + 32 * n, in + 32 * n + 16, kSecret + 32 * n);
  sum = {avalanche(sum.low), avalanche(sum.high)};
  for (size_t n = 4; n < size / 32; ++n)
    mix32(sum, in + 32 * n, in + 32 * n + 16, kSecret + 3 + 32 * (n - 4));
  mix32(sum, in + size - 16, in + size - 32, kSecret + kLeastSecretSize - 17 - 16);
  return finish_middle(sum, size);
}

constexpr size_t kStripe = 64;
constexpr size_t kSecretStep = 8;
constexpr size_t kStripesABlock = (kSecretSize - kStripe) / kSecretStep;

struct Lanes {
  uint64_t sums[8] = {kPrime32[2], kPrime64[0], kPrime64[1], kPrime64[2],
                      kPrime64[3], kPrime32[1], kPrime64[4], kPrime32[0]};

  void add(const uint8_t* in, const uint8_t* secret) {
    for (size_t i = 0; i < 8; ++i) {
      const uint64_t word = read64(in + 8 * i);
      const uint64_t key = word ^ read64(secret + 8 * i);
      sums[i ^ 1] += word;
      sums[i] += (key & 0xffffffff) * (key >> 32);
    }
  }

  void scramble() {
    for (size_t i = 0; i < 8; ++i) {
      uint64_t sum = sums[i];
      sum ^= sum >> 47;
      sum ^= read64(kSecret + kSecretSize - kStripe + 8 * i);
      sums[i] = sum * kPrime32[0];
    }
  }

  uint64_t merged(const uint8_t* secret, uint64_t start) const {
    for (size_t i = 0; i < 4; ++i) {
      start += folded_product(sums[2 * i] ^ read64(secret + 16 * i),
                              sums[2 * i + 1] ^ read64(secret + 16 * i + 8));
    }
    return avalanche(start);
  }
};

Wide hash_long(const uint8_t* in, size_t size) {
  Lanes lanes;
  const size_t stripes = (size - 1) / kStripe;
  for (size_t n = 0; n < stripes; ++n) {
    const size_t in_block = n % kStripesABlock;
    lanes.add(in + kStripe * n, kSecret + kSecretStep * in_block);
    if (in_block == kStripesABlock - 1) lanes.scramble();
  }
  lanes.add(in + size - kStripe, kSecret + kSecretSize - kStripe - 7);
  return {lanes.merged(kSecret + 11, size * kPrime64[0]),
          lanes.merged(kSecret + kSecretSize - kStripe - 11, ~(size * kPrime64[1]))};
}

Wide hash_of(const uint8_t* in, size_t size) {
  if (size == 0) return hash_0();
  if (size <= 3) return hash_1_to_3(in, size);
  if (size <= 8) return hash_4_to_8(in, size);
  if (size <= 16) return hash_9_to_16(in, size);
  if (size <= 128) return hash_17_to_128(in, size);
  if (size <= 240) return hash_129_to_240(in, size);
  return hash_long(in, size);
}

void store(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

}  // namespace

void xxh3_keys(const Key* keys, int count, KeyHash* hashes) {
  for (int i = 0; i < count; ++i) {
    const Wide hash = hash_of(keys[i].bytes, keys[i].size);
    store(hashes[i].bytes(), hash.high);
    store(hashes[i].bytes() + 8, hash.low);
  }
}

}  // namespace plog
