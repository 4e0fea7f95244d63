// MD5 (RFC 1321): of one text of any length, and of many short ones side by
// side, which is several times as fast.
#pragma once

#include "key_hash.h"

namespace plog {

void md5(const uint8_t* bytes, size_t size, KeyHash* digest);

// The longest text that takes one block, which is what lanes take.
inline constexpr size_t kMd5ShortText = 55;

// The algorithm's constants, and the registers at the start.
extern const uint32_t kMd5Sines[64];
inline constexpr uint32_t kMd5Start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

// Blocks side by side: word w of text i is words[w][i].
struct Md5Lanes {
  alignas(64) uint32_t words[16][kMostKeys];
  alignas(64) uint32_t digests[4][kMostKeys];
};

// One way to fill `digests` of the first `count` texts; those behind may be
// anything.
struct Md5Kernel {
  const char* name;
  void (*digest)(Md5Lanes& lanes, int count);
};

// Fills `kernels` (room for 2) with those that this processor can run, the
// fastest first. 0: there are none, and texts are taken one by one.
int md5_kernels(Md5Kernel* kernels);
// By `kernel`, or one by one where it is null.
void md5_keys_by(const Md5Kernel* kernel, const Key* keys, int count, KeyHash* hashes);

}  // namespace plog
