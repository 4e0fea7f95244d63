// Keys' hashes and their last offsets, in open addressing: where Kafka's map
// looks for a key. Always true: a slot is empty where its hash is zero, and
// one slot at least is, so that every search ends.
//
// The map is larger than the caches, so that a look into it waits for memory.
// Keys come in windows: all are hashed, the memory where each lies most likely
// is asked for, and the next window is hashed before the first is looked up.
#pragma once

#include <memory>

#include "key_hash.h"
#include "memory.h"
#include "record_columns.h"
#include "record_copy.h"

namespace plog {

class OffsetMap {
 public:
  static constexpr int64_t kMostSlots = INT32_MAX;

  // Null where there is no memory. `slots` is 1 to kMostSlots.
  static std::unique_ptr<OffsetMap> open(int64_t slots, HashKeys hash);

  int64_t slots() const { return slots_; }
  int64_t size() const { return size_; }

  struct Put {
    int64_t taken;    // rows that it came past
    int64_t bad_row;  // whose key does not lie within the bytes, or -1
  };

  // `max_size` is below `slots`.
  Put put(Span bytes, const RecordColumns& columns, Rows rows, int64_t from_offset,
          int64_t max_size);
  // A bad row, up to which the answers stand, or -1.
  int64_t mark_superseded(Span bytes, const RecordColumns& columns, Rows rows) const;
  void clear();

 private:
  struct Slot {
    KeyHash hash;
    int64_t offset;
  };
  struct Window;
  class Windows;

  OffsetMap(int64_t slots, HashKeys hash)
      : slots_(slots), hash_(hash), memory_(static_cast<size_t>(slots) * sizeof(Slot)) {}

  Slot* data() const { return static_cast<Slot*>(memory_.data()); }
  static void prefetch(const Slot* slot);
  void ask(Window& window) const;
  void ask_further(const Window& window) const;
  // `first`: where its first probe leads.
  Slot* find(const KeyHash& hash, Slot* first) const;

  int64_t slots_;
  int64_t size_ = 0;
  HashKeys hash_;
  ZeroedMemory memory_;
};

}  // namespace plog
