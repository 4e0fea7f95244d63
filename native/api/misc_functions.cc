// Native functions beside files and lanes: crc32c, lock_acquire, lock_release,
// spare_close.
#include "../core/crc.h"
#include "entry.h"

namespace plog::api {

namespace {

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

// (path) -> handle; undefined where it is held by another, or with an error set
napi_value lock_acquire(Environment& environment, const Arguments& arguments) {
  LockOutcome outcome;
  auto lock = DirectoryLock::acquire(arguments.text(0).c_str(), &outcome);
  environment.answer(outcome.status);
  return lock ? handle_of(environment, std::move(lock)) : nullptr;
}

// (lock)
napi_value lock_release(Environment& environment, const Arguments& arguments) {
  object_of<DirectoryLock>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

// (spare)
napi_value spare_close(Environment& environment, const Arguments& arguments) {
  object_of<SpareFiles>(environment, arguments, 0);
  environment.handles.remove(arguments.integer(0, 0, int64_t{1} << 53));
  return nullptr;
}

constexpr Export kExports[] = {
    {"crc32c", enter<crc32c_of>},
    {"lock_acquire", enter<lock_acquire>},
    {"lock_release", enter<lock_release>},
    {"spare_close", enter<spare_close>},
};

}  // namespace

Exports misc_exports() { return {kExports, std::size(kExports)}; }

}  // namespace plog::api
