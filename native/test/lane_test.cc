// Lanes: order, the end of the queue, and cancelling.
#include "../core/lane.h"

#include <vector>

#include "harness.h"

using namespace plog;

namespace {

struct Log {
  std::mutex mutex;
  std::vector<int> ran;
};

class Note : public Task {
 public:
  Note(Log& log, int n) : log_(log), n_(n) {}
  void run(const std::atomic<bool>&) override {
    const std::lock_guard<std::mutex> lock(log_.mutex);
    log_.ran.push_back(n_);
  }

 private:
  Log& log_;
  int n_;
};

class UntilCancelled : public Task {
 public:
  void run(const std::atomic<bool>& cancelled) override {
    while (!cancelled.load()) std::this_thread::yield();
  }
};

void count(void* context, std::unique_ptr<Task>) { ++*static_cast<std::atomic<int>*>(context); }

}  // namespace

PLOG_TEST(lane_runs_tasks_in_order_and_ends_when_finished) {
  Log log;
  std::atomic<int> done{0};
  Lane lane(count, &done);
  for (int i = 0; i < 1000; ++i) lane.post(std::make_unique<Note>(log, i));
  lane.finish();
  lane.join();
  CHECK(done == 1000 && log.ran.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(log.ran[static_cast<size_t>(i)] == i);
}

PLOG_TEST(lane_that_is_cancelled_drops_its_queue_and_ends) {
  Log log;
  std::atomic<int> done{0};
  {
    Lane lane(count, &done);
    lane.post(std::make_unique<UntilCancelled>());
    for (int i = 0; i < 10; ++i) lane.post(std::make_unique<Note>(log, i));
  }
  CHECK(log.ran.empty() && done <= 1);
}

PLOG_TEST(lane_without_work_ends) {
  std::atomic<int> done{0};
  for (int i = 0; i < 50; ++i) Lane lane(count, &done);
  CHECK(done == 0);
}
