// A piece of work for a lane, and how it comes back: run on the lane's thread
// with no view of JavaScript, answered on the environment's own thread.
#pragma once

#include <memory>

#include "../core/lane.h"
#include "environment.h"

namespace plog::api {

class LaneTask : public Task {
 public:
  // What the answer comes back with: the lane, and the caller's number.
  struct Address {
    int64_t lane;
    double id;
  };

  explicit LaneTask(Address address) : address_(address) {}

  Address address() const { return address_; }
  // Writes the answers; the payload for JavaScript, or null for undefined.
  virtual napi_value answer(Environment& environment) = 0;

 private:
  Address address_;
};

// Makes the environment's way back from lanes, once.
void prepare_completions(Environment& environment);
// Takes finished tasks from a lane; its context is the thread-safe function.
void complete(void* context, std::unique_ptr<Task> task);
// Counts a task as pending, which keeps the process alive, and queues it.
void post(Environment& environment, Lane& lane, std::unique_ptr<LaneTask> task);

}  // namespace plog::api
