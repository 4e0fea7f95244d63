// Checked readers, one for each type of argument.
#include "arguments.h"

#include <cmath>

#include "../core/layout.h"

namespace plog::api {

namespace {

[[noreturn]] void wrong_type(size_t i, const char* expected) {
  throw ArgumentFault{false, "argument " + std::to_string(i) + " must be " + expected};
}

[[noreturn]] void out_of_range(size_t i, const std::string& expected) {
  throw ArgumentFault{true, "argument " + std::to_string(i) + " must be " + expected};
}

}  // namespace

void check(napi_status status) {
  if (status != napi_ok) throw JavaScriptFault{};
}

Arguments::Arguments(napi_env env, napi_callback_info info, void** data) : env_(env) {
  check(napi_get_cb_info(env, info, &count_, values_, nullptr, data));
}

bool Arguments::absent(size_t i) const {
  if (i >= count_) return true;
  napi_valuetype type;
  check(napi_typeof(env_, values_[i], &type));
  return type == napi_undefined;
}

bool Arguments::boolean(size_t i) const {
  bool value;
  if (napi_get_value_bool(env_, values_[i], &value) != napi_ok) wrong_type(i, "a boolean");
  return value;
}

int64_t Arguments::integer(size_t i, int64_t least, int64_t most) const {
  double value;
  if (napi_get_value_double(env_, values_[i], &value) != napi_ok) wrong_type(i, "a number");
  // Compared as double first: the conversion of a value beyond int64 is undefined.
  const bool inside = value >= static_cast<double>(least) && value <= static_cast<double>(most);
  if (!inside || std::trunc(value) != value) {
    out_of_range(i, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int64_t>(value);
}

int64_t Arguments::position(size_t i) const { return integer(i, 0, layout::kMaxFileSize); }

int64_t Arguments::bigint(size_t i) const {
  int64_t value;
  bool lossless;
  if (napi_get_value_bigint_int64(env_, values_[i], &value, &lossless) != napi_ok)
    wrong_type(i, "a bigint");
  if (!lossless) out_of_range(i, "a bigint of 64 bits");
  return value;
}

std::string Arguments::text(size_t i) const {
  size_t length;
  if (napi_get_value_string_utf8(env_, values_[i], nullptr, 0, &length) != napi_ok)
    wrong_type(i, "a string");
  std::string value(length, '\0');
  check(napi_get_value_string_utf8(env_, values_[i], value.data(), length + 1, &length));
  // The system would take the part before it for the whole.
  if (value.find('\0') != std::string::npos) wrong_type(i, "a string without null characters");
  return value;
}

Bytes Arguments::bytes(size_t i) const {
  napi_typedarray_type type;
  size_t length;
  void* data;
  const napi_status status =
      napi_get_typedarray_info(env_, values_[i], &type, &length, &data, nullptr, nullptr);
  if (status != napi_ok || type != napi_uint8_array) wrong_type(i, "a Uint8Array");
  return {static_cast<uint8_t*>(data), length};
}

Bytes Arguments::buffer(size_t i) const {
  size_t length;
  void* data;
  bool detached = false;
  const napi_status status = napi_get_arraybuffer_info(env_, values_[i], &data, &length);
  if (status != napi_ok) wrong_type(i, "an ArrayBuffer");
  check(napi_is_detached_arraybuffer(env_, values_[i], &detached));
  if (detached || data == nullptr) return {};
  return {static_cast<uint8_t*>(data), length};
}

}  // namespace plog::api
