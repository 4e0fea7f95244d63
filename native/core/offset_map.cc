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
// Places of a key that are asked for once the first turned out to be taken;
// more cost more than they save.
constexpr int kProbesAhead = 2;

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

// Rows that have a key, and where their hashes are looked for first.
struct OffsetMap::Window {
  int count = 0;
  Key keys[kMostKeys];
  int64_t rows[kMostKeys];
  KeyHash hashes[kMostKeys];
  Slot* first[kMostKeys];

  bool full() const { return count == kMostKeys; }
  void add(int64_t row, const Key& key) {
    keys[count] = key;
    rows[count++] = row;
  }
};

// Takes rows apart into windows, two ahead of the one that is looked up: while
// the hashes of one are made, memory answers for the two before.
class OffsetMap::Windows {
 public:
  // Rows below `from_offset` are passed over.
  Windows(const OffsetMap& map, Span bytes, const RecordColumns& columns, Rows rows,
          int64_t from_offset)
      : map_(map),
        bytes_(bytes),
        columns_(columns),
        row_(rows.from),
        last_(rows.from + rows.count),
        from_offset_(from_offset) {
    fill(windows_[0]);
    fill(windows_[1]);
    map_.ask_further(windows_[0]);
  }

  // Null at the end; holds until the next call.
  const Window* next() {
    const Window& window = windows_[at_];
    if (window.count == 0) return nullptr;
    fill(windows_[(at_ + 2) % kWindows]);
    at_ = (at_ + 1) % kWindows;
    map_.ask_further(windows_[at_]);
    return &window;
  }

  // At the end: the row that does not lie within the bytes, or -1.
  int64_t bad() const { return bad_; }

 private:
  void fill(Window& window) {
    window.count = 0;
    for (; row_ < last_ && !window.full() && bad_ < 0; ++row_) {
      if (columns_.key_sizes[row_] < 0 || columns_.offsets[row_] < from_offset_) continue;
      Key key;
      if (key_of(bytes_, columns_, row_, &key)) {
        window.add(row_, key);
      } else {
        bad_ = row_;
      }
    }
    map_.ask(window);
  }

  static constexpr int kWindows = 3;

  const OffsetMap& map_;
  const Span bytes_;
  const RecordColumns& columns_;
  int64_t row_;
  const int64_t last_;
  const int64_t from_offset_;
  int64_t bad_ = -1;
  int at_ = 0;
  Window windows_[kWindows];
};

std::unique_ptr<OffsetMap> OffsetMap::open(int64_t slots, HashKeys hash) {
  std::unique_ptr<OffsetMap> map(new (std::nothrow) OffsetMap(slots, hash));
  if (map && map->memory_.data() == nullptr) map.reset();
  return map;
}

void OffsetMap::ask(Window& window) const {
  hash_(window.keys, window.count, window.hashes);
  for (int i = 0; i < window.count; ++i) {
    KeyHash& hash = window.hashes[i];
    // A hash of zeros would look like an empty slot.
    if (hash.is_zero()) hash.bytes()[15] = 1;
    window.first[i] = data() + probe(hash, 0) % static_cast<uint32_t>(slots_);
    prefetch(window.first[i]);
  }
}

void OffsetMap::ask_further(const Window& window) const {
  for (int i = 0; i < window.count; ++i) {
    const KeyHash& hash = window.hashes[i];
    if (window.first[i]->hash == hash || window.first[i]->hash.is_zero()) continue;
    for (int n = 1; n <= kProbesAhead; ++n)
      prefetch(data() + probe(hash, n) % static_cast<uint32_t>(slots_));
  }
}

// A slot can lie in two lines.
void OffsetMap::prefetch(const Slot* slot) {
  PLOG_PREFETCH(slot);
  PLOG_PREFETCH(reinterpret_cast<const uint8_t*>(slot + 1) - 1);
}

OffsetMap::Slot* OffsetMap::find(const KeyHash& hash, Slot* slot) const {
  const auto slots = static_cast<uint32_t>(slots_);
  for (int n = 1;; ++n) {
    if (slot->hash == hash || slot->hash.is_zero()) return slot;
    if (n == kProbes) break;
    slot = data() + probe(hash, n) % slots;
  }
  do {
    if (++slot == data() + slots) slot = data();
  } while (!(slot->hash == hash) && !slot->hash.is_zero());
  return slot;
}

OffsetMap::Put OffsetMap::put(Span bytes, const RecordColumns& columns, Rows rows,
                              int64_t from_offset, int64_t max_size) {
  Windows windows(*this, bytes, columns, rows, from_offset);
  while (const Window* window = windows.next()) {
    for (int i = 0; i < window->count; ++i) {
      if (size_ >= max_size) return {window->rows[i] - rows.from, -1};
      Slot* slot = find(window->hashes[i], window->first[i]);
      if (slot->hash.is_zero()) {
        slot->hash = window->hashes[i];
        ++size_;
      }
      slot->offset = columns.offsets[window->rows[i]];
    }
  }
  const int64_t bad = windows.bad();
  if (bad < 0) return {rows.count, -1};
  return {bad - rows.from, size_ >= max_size ? -1 : bad};
}

int64_t OffsetMap::mark_superseded(Span bytes, const RecordColumns& columns, Rows rows) const {
  Windows windows(*this, bytes, columns, rows, INT64_MIN);
  while (const Window* window = windows.next()) {
    for (int i = 0; i < window->count; ++i) {
      const Slot* slot = find(window->hashes[i], window->first[i]);
      const int64_t offset = columns.offsets[window->rows[i]];
      const bool higher = !slot->hash.is_zero() && slot->offset > offset;
      columns.superseded[window->rows[i]] = higher ? 1 : 0;
    }
  }
  const int64_t end = windows.bad() < 0 ? rows.from + rows.count : windows.bad();
  // Those without a key came into no window.
  for (int64_t row = rows.from; row < end; ++row) {
    if (columns.key_sizes[row] < 0) columns.superseded[row] = 0;
  }
  return windows.bad();
}

void OffsetMap::clear() {
  if (size_ == 0) return;
  std::memset(memory_.data(), 0, memory_.length());
  size_ = 0;
}

}  // namespace plog
