// Native functions beside files and lanes: answers_bind, crc32c, lock_acquire,
// lock_release.
#include "../core/crc.h"
#include "entry.h"

namespace plog::api {

namespace {

// Keeps an array of answers alive and answers where its memory is.
void* bind_array(Environment& environment, const Arguments& arguments, size_t i, napi_typedarray_type expected,
                 size_t least, napi_ref* reference) {
  napi_typedarray_type type;
  size_t length;
  void* data;
  const napi_status status =
      napi_get_typedarray_info(environment.env, arguments.value(i), &type, &length, &data, nullptr, nullptr);
  if (status != napi_ok || type != expected || length < least) throw ArgumentFault{false, "wrong array of answers"};
  if (*reference != nullptr) check(napi_delete_reference(environment.env, *reference));
  check(napi_create_reference(environment.env, arguments.value(i), 1, reference));
  return data;
}

// (Int32Array, BigInt64Array): where every other function writes its answers
napi_value answers_bind(Environment& environment, const Arguments& arguments) {
  environment.numbers = static_cast<int32_t*>(
      bind_array(environment, arguments, 0, napi_int32_array, kNumberCount, &environment.numbers_reference));
  environment.bigs = static_cast<int64_t*>(
      bind_array(environment, arguments, 1, napi_bigint64_array, kBigCount, &environment.bigs_reference));
  return nullptr;
}

// (bytes, start, end) -> number
napi_value crc32c_of(Environment& environment, const Arguments& arguments) {
  const Bytes bytes = arguments.bytes(0);
  const int64_t start = arguments.integer(1, 0, static_cast<int64_t>(bytes.length));
  const int64_t end = arguments.integer(2, start, static_cast<int64_t>(bytes.length));
  napi_value value;
  const uint32_t crc = crc32c(0, bytes.data + start, static_cast<size_t>(end - start));
  check(napi_create_uint32(environment.env, crc, &value));
  return value;
}

// (path) -> handle, or undefined: held by bigs[holderPid] where no error is set
napi_value lock_acquire(Environment& environment, const Arguments& arguments) {
  LockOutcome outcome;
  auto lock = DirectoryLock::acquire(arguments.text(0).c_str(), &outcome);
  environment.answer(outcome.status);
  environment.bigs[kHolderPid] = outcome.holder_pid;
  return lock ? handle_of(environment, std::move(lock)) : nullptr;
}

// (lock)
napi_value lock_release(Environment& environment, const Arguments& arguments) {
  object_of<DirectoryLock>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

constexpr Export kExports[] = {
    {"answers_bind", enter<answers_bind>},
    {"crc32c", enter<crc32c_of>},
    {"lock_acquire", enter<lock_acquire>},
    {"lock_release", enter<lock_release>},
};

}  // namespace

Exports misc_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
