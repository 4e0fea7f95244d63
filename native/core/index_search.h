// The search in a sorted file of fixed entries: as Kafka's, the warm section
// (the last 8 KB, which every append and most lookups touch) first, then the
// rest; in either by guesses, since offsets and times rise nearly evenly.
// Works on any bytes: an unsorted file gives a wrong entry, never one outside,
// and the same one as lib/backend/portable/index-search.ts.
#pragma once

#include <cstdint>

namespace plog {

inline constexpr int kWarmBytes = 8192;

// Where fewer entries are left, halving them costs less than guessing.
inline constexpr int64_t kFewEntries = 16;
// First step away from a guess, and how much longer each next one is.
inline constexpr int64_t kFirstStep = 4;
inline constexpr int64_t kStepGrowth = 8;
// An index whose keys do not rise evenly is halved after so many guesses.
inline constexpr int kMostGuesses = 3;

// The last entry with a key of at most `key` is `low` or one between it and `high`.
struct SearchRange {
  int64_t low;
  int64_t high;
  double low_key;
  double high_key;
};

// Guesses where `key` lies if keys rise evenly, then steps away from the
// guess until the range has its end on either side of `key`.
template <class KeyAt>
void narrow(KeyAt& key_at, int64_t key, SearchRange& range) {
  const double share =
      (static_cast<double>(key) - range.low_key) / (range.high_key - range.low_key);
  const int64_t width = range.high - range.low;
  int64_t at = range.low + static_cast<int64_t>(share * static_cast<double>(width));
  at = at <= range.low ? range.low + 1 : at >= range.high ? range.high - 1 : at;
  int64_t found = key_at(at);
  const bool below = found <= key;
  for (int64_t step = kFirstStep; (found <= key) == below; step *= kStepGrowth) {
    (below ? range.low : range.high) = at;
    (below ? range.low_key : range.high_key) = static_cast<double>(found);
    at += below ? step : -step;
    if (at <= range.low || at >= range.high) return;
    found = key_at(at);
  }
  (below ? range.high : range.low) = at;
  (below ? range.high_key : range.low_key) = static_cast<double>(found);
}

// Last n in [first, last] with key_at(n) <= key, given that key_at(first) is.
template <class KeyAt>
int64_t search_between(KeyAt&& key_at, int64_t key, int64_t first, int64_t last) {
  SearchRange range = {first, last + 1, 0, 0};
  if (last - first > kFewEntries) {
    const int64_t last_key = key_at(last);
    if (last_key <= key) return last;
    range = {first, last, static_cast<double>(key_at(first)), static_cast<double>(last_key)};
  }
  for (int guess = 0; guess < kMostGuesses && range.high - range.low > kFewEntries; ++guess) {
    // Keys of a damaged index need not rise.
    if (!(range.low_key < range.high_key)) break;
    narrow(key_at, key, range);
  }
  while (range.high - range.low > 1) {
    const int64_t middle = range.low + (range.high - range.low) / 2;
    (key_at(middle) <= key ? range.low : range.high) = middle;
  }
  return range.low;
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
