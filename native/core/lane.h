// One thread with a queue: tasks run one after the other, in the order of
// `post`, and each is handed to `done` on that thread when it has run.
// Owned and joined by one other thread, which posts, finishes or cancels.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace plog {

class Task {
 public:
  virtual ~Task() = default;
  // Long work looks at `cancelled` now and then and ends early.
  virtual void run(const std::atomic<bool>& cancelled) = 0;
};

class Lane {
 public:
  using Done = void (*)(void* context, std::unique_ptr<Task> task);

  // Starts the thread; std::system_error where the system has none to give. One
  // in the background takes the processor from nobody when it wakes.
  Lane(Done done, void* context, bool in_background = false);
  // Cancels and waits.
  ~Lane();

  void post(std::unique_ptr<Task> task);
  // The thread ends when the queue is empty.
  void finish();
  // The thread ends after the running task, which is told; others are dropped.
  void cancel();
  void join();

 private:
  void run();
  std::unique_ptr<Task> next();

  Done done_;
  void* context_;
  bool in_background_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Task>> queue_;
  bool finishing_ = false;
  std::atomic<bool> cancelled_{false};
  std::thread thread_;  // last: it uses all the others
};

// Makes the calling thread leave signals to the process's own threads.
void ignore_signals_in_this_thread();
// Has the calling thread wait its turn where others want to run; nothing where
// the system cannot do that for one thread.
void put_this_thread_behind();

}  // namespace plog
