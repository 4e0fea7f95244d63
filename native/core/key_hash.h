// The hash of a record's key, many keys a call: MD5 as in Kafka, or XXH3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plog {

struct Key {
  const uint8_t* bytes;
  size_t size;
};

// Sixteen bytes, as the hash's definition orders them.
struct KeyHash {
  uint64_t words[2];

  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(words); }
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(words); }
  bool is_zero() const { return (words[0] | words[1]) == 0; }
  bool operator==(const KeyHash& other) const {
    return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) == 0;
  }
};

// As many keys as a call may have.
inline constexpr int kMostKeys = 32;

using HashKeys = void (*)(const Key* keys, int count, KeyHash* hashes);

void md5_keys(const Key* keys, int count, KeyHash* hashes);
void xxh3_keys(const Key* keys, int count, KeyHash* hashes);

}  // namespace plog
