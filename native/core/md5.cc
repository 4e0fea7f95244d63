// One text at a time, on any processor; and how keys are laid side by side.
#include "md5.h"

#include <bit>

namespace plog {

// Whole parts of 2^32 times the sines of 1 to 64.
const uint32_t kMd5Sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

namespace {

constexpr size_t kBlock = 64;
constexpr size_t kLengthAt = 56;

uint32_t load_little(const uint8_t* at) {
  return uint32_t{at[0]} | (uint32_t{at[1]} << 8) | (uint32_t{at[2]} << 16) |
         (uint32_t{at[3]} << 24);
}

// As above, without a byte moved where the processor is little-endian: compilers
// do not see that by themselves.
void store_little(uint8_t* at, uint32_t value) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  for (int i = 0; i < 4; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

uint32_t step(uint32_t sum, uint32_t next, uint32_t sine, uint32_t word, int bits) {
  return next + std::rotl(sum + sine + word, bits);
}

// Four rounds of sixteen steps; four steps bring the registers back to their places.
void mix(uint32_t state[4], const uint8_t* block) {
  uint32_t x[16];
  for (int i = 0; i < 16; ++i) x[i] = load_little(block + 4 * i);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  const uint32_t* k = kMd5Sines;
  for (int i = 0; i < 16; i += 4) {
    a = step(a + ((b & c) | (~b & d)), b, k[i], x[i], 7);
    d = step(d + ((a & b) | (~a & c)), a, k[i + 1], x[i + 1], 12);
    c = step(c + ((d & a) | (~d & b)), d, k[i + 2], x[i + 2], 17);
    b = step(b + ((c & d) | (~c & a)), c, k[i + 3], x[i + 3], 22);
  }
  for (int i = 16; i < 32; i += 4) {
    a = step(a + ((b & d) | (c & ~d)), b, k[i], x[(5 * i + 1) & 15], 5);
    d = step(d + ((a & c) | (b & ~c)), a, k[i + 1], x[(5 * i + 6) & 15], 9);
    c = step(c + ((d & b) | (a & ~b)), d, k[i + 2], x[(5 * i + 11) & 15], 14);
    b = step(b + ((c & a) | (d & ~a)), c, k[i + 3], x[(5 * i) & 15], 20);
  }
  for (int i = 32; i < 48; i += 4) {
    a = step(a + (b ^ c ^ d), b, k[i], x[(3 * i + 5) & 15], 4);
    d = step(d + (a ^ b ^ c), a, k[i + 1], x[(3 * i + 8) & 15], 11);
    c = step(c + (d ^ a ^ b), d, k[i + 2], x[(3 * i + 11) & 15], 16);
    b = step(b + (c ^ d ^ a), c, k[i + 3], x[(3 * i + 14) & 15], 23);
  }
  for (int i = 48; i < 64; i += 4) {
    a = step(a + (c ^ (b | ~d)), b, k[i], x[(7 * i) & 15], 6);
    d = step(d + (b ^ (a | ~c)), a, k[i + 1], x[(7 * i + 7) & 15], 10);
    c = step(c + (a ^ (d | ~b)), d, k[i + 2], x[(7 * i + 14) & 15], 15);
    b = step(b + (d ^ (c | ~a)), c, k[i + 3], x[(7 * i + 21) & 15], 21);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

// Sets column `i` to the one block of a short text; its words were zero.
void lay(Md5Lanes& lanes, int i, const Key& key) {
  const size_t whole = key.size / 4;
  for (size_t word = 0; word < whole; ++word)
    lanes.words[word][i] = load_little(key.bytes + 4 * word);
  const size_t left = key.size % 4;
  uint32_t last = uint32_t{0x80} << (8 * left);
  for (size_t n = 0; n < left; ++n) last |= uint32_t{key.bytes[4 * whole + n]} << (8 * n);
  lanes.words[whole][i] = last;
  lanes.words[kLengthAt / 4][i] = static_cast<uint32_t>(key.size * 8);
}

void take(const Md5Lanes& lanes, int i, KeyHash* hash) {
  for (int word = 0; word < 4; ++word)
    store_little(hash->bytes() + 4 * word, lanes.digests[word][i]);
}

// Null: one by one.
const Md5Kernel* fastest() {
  static Md5Kernel kernels[2];
  return md5_kernels(kernels) > 0 ? &kernels[0] : nullptr;
}

}  // namespace

void md5(const uint8_t* bytes, size_t size, KeyHash* digest) {
  uint32_t state[4];
  std::memcpy(state, kMd5Start, sizeof state);
  const size_t left = size % kBlock;
  const uint8_t* whole = bytes + (size - left);
  for (; bytes != whole; bytes += kBlock) mix(state, bytes);
  uint8_t last[2 * kBlock] = {};
  if (left > 0) std::memcpy(last, bytes, left);
  last[left] = 0x80;
  const size_t end = left < kLengthAt ? kBlock : 2 * kBlock;
  const uint64_t bits = static_cast<uint64_t>(size) * 8;
  store_little(last + end - 8, static_cast<uint32_t>(bits));
  store_little(last + end - 4, static_cast<uint32_t>(bits >> 32));
  for (size_t at = 0; at < end; at += kBlock) mix(state, last + at);
  for (int i = 0; i < 4; ++i) store_little(digest->bytes() + 4 * i, state[i]);
}

void md5_keys_by(const Md5Kernel* kernel, const Key* keys, int count, KeyHash* hashes) {
  if (kernel == nullptr) {
    for (int i = 0; i < count; ++i) md5(keys[i].bytes, keys[i].size, &hashes[i]);
    return;
  }
  Md5Lanes lanes;
  std::memset(lanes.words, 0, sizeof lanes.words);
  for (int i = 0; i < count; ++i) {
    if (keys[i].size <= kMd5ShortText) lay(lanes, i, keys[i]);
  }
  kernel->digest(lanes, count);
  for (int i = 0; i < count; ++i) {
    if (keys[i].size <= kMd5ShortText) {
      take(lanes, i, &hashes[i]);
    } else {
      md5(keys[i].bytes, keys[i].size, &hashes[i]);
    }
  }
}

void md5_keys(const Key* keys, int count, KeyHash* hashes) {
  static const Md5Kernel* const kernel = fastest();
  md5_keys_by(kernel, keys, count, hashes);
}

// Elsewhere md5_x86.cc has it.
#if !defined(__x86_64__) && !defined(_M_X64)
int md5_kernels(Md5Kernel*) { return 0; }
#endif

}  // namespace plog
