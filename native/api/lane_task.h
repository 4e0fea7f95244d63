// A piece of work for a lane, and how it comes back: run on the lane's thread
// with no view of JavaScript, answered on the environment's own thread.
#pragma once

#include <memory>

#include "../core/lane.h"
#include "environment.h"

namespace plog::api {

class LaneTask : public Task {
 public:
  explicit LaneTask(double id) : id_(id) {}

  // The caller's number for the operation.
  double id() const { return id_; }
  // Writes the answers; the payload for JavaScript, or null for undefined.
  virtual napi_value answer(Environment& environment) = 0;

 private:
  double id_;
};

// Makes `callback(id, payload)` what finished tasks are answered to.
void bind_completions(Environment& environment, napi_value callback);
// Takes finished tasks from a lane; its context is the thread-safe function.
void complete(void* context, std::unique_ptr<Task> task);
// Counts a task as pending, which keeps the process alive, and queues it.
void post(Environment& environment, Lane& lane, std::unique_ptr<LaneTask> task);

}  // namespace plog::api
