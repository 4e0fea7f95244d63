// What JavaScript holds numbers of: files, lanes, locks and maps of one environment.
// A handle names a slot, its type and its use; one that is stale, of another
// type or made up finds nothing.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "../core/directory_lock.h"
#include "../core/index_file.h"
#include "../core/lane.h"
#include "../core/log_file.h"
#include "../core/offset_map.h"
#include "../core/spare_files.h"

namespace plog::api {

// A lane, and the function that its answers are given to.
struct BoundLane {
  BoundLane(Lane::Done done, void* context, bool in_background, napi_ref function)
      : completed(function), lane(done, context, in_background) {}

  napi_ref completed;
  Lane lane;
};

class HandleTable {
 public:
  using Object = std::variant<std::monostate, std::unique_ptr<LogFile>, std::unique_ptr<IndexFile>,
                              std::unique_ptr<BoundLane>, std::unique_ptr<DirectoryLock>,
                              std::unique_ptr<OffsetMap>, std::unique_ptr<SpareFiles>>;

  // A number below 2^53.
  template <class T>
  int64_t add(std::unique_ptr<T> object) {
    if (free_.empty()) {
      if (slots_.size() == kMostSlots) return -1;
      slots_.emplace_back();
      free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = std::move(object);
    return int64_t{slots_[index].use} * kMostSlots + index;
  }

  // Null where the handle is not (or no longer) one of a `T`.
  template <class T>
  T* find(int64_t handle) const {
    const uint64_t index = static_cast<uint64_t>(handle) % kMostSlots;
    if (handle < 0 || index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[index];
    if (static_cast<uint64_t>(handle) / kMostSlots != slot.use) return nullptr;
    const auto* object = std::get_if<std::unique_ptr<T>>(&slot.object);
    return object == nullptr ? nullptr : object->get();
  }

  // Destroys the object of a handle that `find` knows.
  void remove(int64_t handle) {
    Slot& slot = slots_[static_cast<uint64_t>(handle) % kMostSlots];
    slot.object = std::monostate{};
    ++slot.use;
    free_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(handle) % kMostSlots));
  }

  template <class Action>
  void for_each_lane(Action action) {
    for (Slot& slot : slots_) {
      if (auto* bound = std::get_if<std::unique_ptr<BoundLane>>(&slot.object)) action(**bound);
    }
  }

  // Ends the threads of all lanes: each is told before one is waited for.
  void cancel_lanes() {
    for_each_lane([](BoundLane& bound) { bound.lane.cancel(); });
    for_each_lane([](BoundLane& bound) { bound.lane.join(); });
  }

 private:
  static constexpr uint64_t kMostSlots = uint64_t{1} << 20;

  struct Slot {
    uint32_t use = 1;
    Object object;
  };

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace plog::api
