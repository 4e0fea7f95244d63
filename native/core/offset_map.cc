// Windows of keys over the columns, and the search.
#include "offset_map.h"

#include <algorithm>
#include <new>

#include "bytes.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#if defined(_M_X64)
#define PLOG_PREFETCH(at) _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0)
#else
#define PLOG_PREFETCH(at) __prefetch(at)
#endif
#else
#define PLOG_PREFETCH(at) __builtin_prefetch(at)
#endif

namespace plog {

namespace {

// The hash holds as many windows of four bytes; behind them the search goes
// from slot to slot.
constexpr int kProbes = 13;
// Places of each key that are asked for ahead; more cost more than they save.
constexpr int kProbesAhead = 3;

// As Kafka's: the least int, which has no positive counterpart, counts as 0.
uint32_t probe(const KeyHash& hash, int n) {
  const int32_t word = load_i32(hash.bytes() + n);
  if (word == INT32_MIN) return 0;
  return static_cast<uint32_t>(word < 0 ? -word : word);
}

bool key_of(Span bytes, const RecordColumns& columns, int64_t row, Key* key) {
  const int32_t position = columns.key_positions[row];
  const int32_t size = columns.key_sizes[row];
  if (position < 0 || size < 0) return false;
  if (static_cast<size_t>(position) + static_cast<size_t>(size) > bytes.length) return false;
  *key = {bytes.data + position, static_cast<size_t>(size)};
  return true;
}

}  // namespace

// Rows that have a key, and where their hashes are looked for.
struct OffsetMap::Window {
  int count = 0;
  Key keys[kMostKeys];
  int64_t rows[kMostKeys];
  KeyHash hashes[kMostKeys];

  bool full() const { return count == kMostKeys; }
  void add(int64_t row, const Key& key) {
    keys[count] = key;
    rows[count++] = row;
  }
};

std::unique_ptr<OffsetMap> OffsetMap::open(int64_t slots, HashKeys hash) {
  std::unique_ptr<OffsetMap> map(new (std::nothrow) OffsetMap(slots, hash));
  if (map && map->memory_.data() == nullptr) map.reset();
  return map;
}

void OffsetMap::look_up(Window& window) const {
  hash_(window.keys, window.count, window.hashes);
  for (int i = 0; i < window.count; ++i) {
    KeyHash& hash = window.hashes[i];
    // A hash of zeros would look like an empty slot.
    if (hash.is_zero()) hash.bytes()[15] = 1;
    for (int n = 0; n < kProbesAhead; ++n)
      PLOG_PREFETCH(data() + probe(hash, n) % static_cast<uint32_t>(slots_));
  }
}

OffsetMap::Slot* OffsetMap::find(const KeyHash& hash) const {
  const auto slots = static_cast<uint32_t>(slots_);
  Slot* slot = nullptr;
  for (int n = 0; n < kProbes; ++n) {
    slot = data() + probe(hash, n) % slots;
    if (slot->hash == hash || slot->hash.is_zero()) return slot;
  }
  do {
    if (++slot == data() + slots) slot = data();
  } while (!(slot->hash == hash) && !slot->hash.is_zero());
  return slot;
}

OffsetMap::Put OffsetMap::put(Span bytes, const RecordColumns& columns, Rows rows,
                              int64_t from_offset, int64_t max_size) {
  const int64_t last = rows.from + rows.count;
  for (int64_t row = rows.from; row < last;) {
    Window window;
    int64_t bad = -1;
    for (; row < last && !window.full() && bad < 0; ++row) {
      if (columns.key_sizes[row] < 0 || columns.offsets[row] < from_offset) continue;
      Key key;
      if (key_of(bytes, columns, row, &key)) {
        window.add(row, key);
      } else {
        bad = row;
      }
    }
    look_up(window);
    for (int i = 0; i < window.count; ++i) {
      if (size_ >= max_size) return {window.rows[i] - rows.from, -1};
      Slot* slot = find(window.hashes[i]);
      if (slot->hash.is_zero()) {
        slot->hash = window.hashes[i];
        ++size_;
      }
      slot->offset = columns.offsets[window.rows[i]];
    }
    if (bad >= 0 && size_ >= max_size) return {bad - rows.from, -1};
    if (bad >= 0) return {bad - rows.from, bad};
  }
  return {rows.count, -1};
}

int64_t OffsetMap::mark_superseded(Span bytes, const RecordColumns& columns, Rows rows) const {
  const int64_t last = rows.from + rows.count;
  for (int64_t row = rows.from; row < last;) {
    Window window;
    int64_t bad = -1;
    for (; row < last && !window.full() && bad < 0; ++row) {
      Key key;
      if (columns.key_sizes[row] < 0) {
        columns.superseded[row] = 0;
      } else if (key_of(bytes, columns, row, &key)) {
        window.add(row, key);
      } else {
        bad = row;
      }
    }
    look_up(window);
    for (int i = 0; i < window.count; ++i) {
      const Slot* slot = find(window.hashes[i]);
      const int64_t offset = columns.offsets[window.rows[i]];
      const bool higher = !slot->hash.is_zero() && slot->offset > offset;
      columns.superseded[window.rows[i]] = higher ? 1 : 0;
    }
    if (bad >= 0) return bad;
  }
  return -1;
}

void OffsetMap::clear() {
  if (size_ == 0) return;
  std::memset(memory_.data(), 0, memory_.length());
  size_ = 0;
}

}  // namespace plog
