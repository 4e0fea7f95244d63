// Kafka's search in a sorted file of fixed entries: the warm section (the
// last 8 KB, which every append and most lookups touch) first, then the rest.
// Works on any bytes: an unsorted file gives a wrong entry, never one outside.
#pragma once

#include <cstdint>

namespace plog {

inline constexpr int kWarmBytes = 8192;

// Last n in [first, last] with key_at(n) <= key, given that key_at(first) is.
template <class KeyAt>
int64_t search_between(KeyAt&& key_at, int64_t key, int64_t first, int64_t last) {
  while (first < last) {
    const int64_t middle = first + (last - first + 1) / 2;
    if (key_at(middle) <= key) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// Last entry whose key is at most `key`, or -1. `key_at(n)` for 0 <= n < count.
template <class KeyAt>
int64_t search_index(KeyAt&& key_at, int64_t count, int entry_size, int64_t key) {
  if (count == 0) return -1;
  const int64_t before_warm = count - 1 - kWarmBytes / entry_size;
  const int64_t first_warm = before_warm > 0 ? before_warm : 0;
  if (key_at(first_warm) <= key) return search_between(key_at, key, first_warm, count - 1);
  if (first_warm == 0 || key_at(0) > key) return -1;
  return search_between(key_at, key, 0, first_warm - 1);
}

}  // namespace plog
