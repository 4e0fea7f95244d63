// Errors on their way into JavaScript.
#include "entry.h"

#include "../core/errors.h"

namespace plog::api {

namespace {

// While an environment ends, throwing fails: that is no fault of ours.
bool can_throw(napi_env env) {
  bool pending = false;
  return napi_is_exception_pending(env, &pending) == napi_ok && !pending;
}

}  // namespace

void throw_error(napi_env env, const char* code, const char* message) {
  if (can_throw(env)) napi_throw_error(env, code, message);
}

void throw_fault(napi_env env, const ArgumentFault& fault) {
  if (!can_throw(env)) return;
  if (fault.range) {
    napi_throw_range_error(env, "ERR_OUT_OF_RANGE", fault.message.c_str());
  } else {
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", fault.message.c_str());
  }
}

IndexFile& index_of_kind(Environment& environment, const Arguments& arguments, size_t i,
                         IndexKind kind) {
  IndexFile& index = object_of<IndexFile>(environment, arguments, i);
  if (index.kind() != kind)
    throw ArgumentFault{false, "argument " + std::to_string(i) + " is an index of the other kind"};
  return index;
}

napi_value unread(Environment& environment, const Status& status, Wait wait) {
  const bool not_cached = status.error == errors::kAgain || status.error == errors::kNotSupported;
  environment.answer(wait == Wait::no && not_cached ? kOk : status);
  return nullptr;
}

}  // namespace plog::api
