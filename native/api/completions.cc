// The way back from lanes: one thread-safe function an environment, holding
// the event loop open only while operations are pending.
#include "../core/errors.h"
#include "arguments.h"
#include "lane_task.h"

namespace plog::api {

namespace {

// What the task has to say; where Node cannot make it (no memory, say) the
// operation fails rather than never ending.
napi_value answer_of(Environment& environment, LaneTask& task) {
  try {
    return task.answer(environment);
  } catch (const JavaScriptFault&) {
    napi_value ignored;
    napi_get_and_clear_last_exception(environment.env, &ignored);
    environment.answer(Status{errors::kNoMemory, Call::allocate});
    return nullptr;
  }
}

// Fails where the environment is ending; then nobody waits.
void tell(napi_env env, napi_ref completed, double id, napi_value payload) {
  napi_value function, receiver, arguments[2];
  arguments[1] = payload;
  if (napi_get_undefined(env, &receiver) != napi_ok) return;
  if (payload == nullptr) arguments[1] = receiver;
  if (napi_create_double(env, id, &arguments[0]) != napi_ok) return;
  if (napi_get_reference_value(env, completed, &function) != napi_ok) return;
  napi_call_function(env, receiver, function, 2, arguments, nullptr);
}

void on_completion(napi_env env, napi_value, void* context, void* data) {
  std::unique_ptr<LaneTask> task(static_cast<LaneTask*>(data));
  if (env == nullptr) return;  // the environment is gone
  Environment& environment = *static_cast<Environment*>(context);
  if (--environment.pending == 0) napi_unref_threadsafe_function(env, environment.completions);
  const LaneTask::Address address = task->address();
  const BoundLane* bound = environment.handles.find<BoundLane>(address.lane);
  if (bound == nullptr) return;
  napi_ref completed = bound->completed;
  napi_value payload = answer_of(environment, *task);
  // Before JavaScript hears of it: whoever waits may count on the file being let go.
  task.reset();
  tell(env, completed, address.id, payload);
  // The lane's last answer: its function is not needed any more.
  if (environment.handles.find<BoundLane>(address.lane) == nullptr)
    napi_delete_reference(env, completed);
}

// Runs before the environment's own end: no thread of ours outlives it.
void end_lanes(void* data) { static_cast<Environment*>(data)->handles.cancel_lanes(); }

}  // namespace

void prepare_completions(Environment& environment) {
  if (environment.completions != nullptr) return;
  napi_env env = environment.env;
  napi_value name;
  check(napi_create_string_utf8(env, "partition-log lane", NAPI_AUTO_LENGTH, &name));
  napi_threadsafe_function function;
  check(napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr,
                                        &environment, on_completion, &function));
  check(napi_unref_threadsafe_function(env, function));
  environment.completions = function;
  // After the function's own hook was added, since hooks run in reverse.
  check(napi_add_env_cleanup_hook(env, end_lanes, &environment));
}

void complete(void* context, std::unique_ptr<Task> task) {
  const auto function = static_cast<napi_threadsafe_function>(context);
  // Refused only while the environment ends; the task is then dropped.
  if (napi_call_threadsafe_function(function, task.get(), napi_tsfn_nonblocking) == napi_ok)
    task.release();
}

void post(Environment& environment, Lane& lane, std::unique_ptr<LaneTask> task) {
  if (environment.pending++ == 0)
    check(napi_ref_threadsafe_function(environment.env, environment.completions));
  lane.post(std::move(task));
}

}  // namespace plog::api
