// The queue and the loop of a lane.
#include "lane.h"

#include <utility>

namespace plog {

Lane::Lane(Done done, void* context, bool in_background)
    : done_(done), context_(context), in_background_(in_background), thread_([this] { run(); }) {}

Lane::~Lane() {
  cancel();
  join();
}

void Lane::post(std::unique_ptr<Task> task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Lane::finish() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_one();
}

void Lane::cancel() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finishing_ = true;
    queue_.clear();
    cancelled_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_one();
}

void Lane::join() {
  if (thread_.joinable()) thread_.join();
}

void Lane::run() {
  ignore_signals_in_this_thread();
  if (in_background_) put_this_thread_behind();
  while (std::unique_ptr<Task> task = next()) {
    task->run(cancelled_);
    done_(context_, std::move(task));
  }
}

std::unique_ptr<Task> Lane::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return finishing_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  std::unique_ptr<Task> task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

}  // namespace plog
