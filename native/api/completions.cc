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

void on_completion(napi_env env, napi_value callback, void* context, void* data) {
  std::unique_ptr<LaneTask> task(static_cast<LaneTask*>(data));
  if (env == nullptr || callback == nullptr) return;  // the environment is gone
  Environment& environment = *static_cast<Environment*>(context);
  if (--environment.pending == 0) napi_unref_threadsafe_function(env, environment.completions);
  napi_value receiver, arguments[2];
  napi_value payload = answer_of(environment, *task);
  if (payload == nullptr) napi_get_undefined(env, &payload);
  arguments[1] = payload;
  const double id = task->id();
  // Before JavaScript hears of it: whoever waits may count on the file being let go.
  task.reset();
  if (napi_create_double(env, id, &arguments[0]) != napi_ok) return;
  if (napi_get_undefined(env, &receiver) != napi_ok) return;
  // Fails where the environment is ending; then nobody waits.
  napi_call_function(env, receiver, callback, 2, arguments, nullptr);
}

// Runs before the environment's own end: no thread of ours outlives it.
void end_lanes(void* data) { static_cast<Environment*>(data)->handles.cancel_lanes(); }

}  // namespace

void bind_completions(Environment& environment, napi_value callback) {
  if (environment.completions != nullptr) return;
  napi_env env = environment.env;
  napi_value name;
  check(napi_create_string_utf8(env, "partition-log lane", NAPI_AUTO_LENGTH, &name));
  napi_threadsafe_function function;
  check(napi_create_threadsafe_function(env, callback, nullptr, name, 0, 1, nullptr, nullptr, &environment,
                                        on_completion, &function));
  check(napi_unref_threadsafe_function(env, function));
  environment.completions = function;
  // After the function's own hook was added, since hooks run in reverse.
  check(napi_add_env_cleanup_hook(env, end_lanes, &environment));
}

void complete(void* context, std::unique_ptr<Task> task) {
  const auto function = static_cast<napi_threadsafe_function>(context);
  // Refused only while the environment ends; the task is then dropped.
  if (napi_call_threadsafe_function(function, task.get(), napi_tsfn_nonblocking) == napi_ok) task.release();
}

void post(Environment& environment, Lane& lane, std::unique_ptr<LaneTask> task) {
  if (environment.pending++ == 0) check(napi_ref_threadsafe_function(environment.env, environment.completions));
  lane.post(std::move(task));
}

}  // namespace plog::api
