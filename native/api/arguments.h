// Reads and checks the arguments of a native function. Whatever JavaScript
// hands in, the answer is a checked value or a thrown `ArgumentFault`, which
// the entry turns into a TypeError or RangeError in Node's manner.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <string>

namespace plog::api {

struct ArgumentFault {
  bool range;  // RangeError, else TypeError
  std::string message;
};

// A call into Node failed because JavaScript is ending or has thrown.
struct JavaScriptFault {};

// Throws unless `status` is fine.
void check(napi_status status);

struct Bytes {
  uint8_t* data = nullptr;
  size_t length = 0;
};

class Arguments {
 public:
  static constexpr size_t kMost = 10;

  // Also answers the function's own data, which is the environment.
  Arguments(napi_env env, napi_callback_info info, void** data);

  napi_env env() const { return env_; }
  size_t count() const { return count_; }
  napi_value value(size_t i) const { return values_[i]; }

  bool absent(size_t i) const;
  bool boolean(size_t i) const;
  // A whole number in [least, most].
  int64_t integer(size_t i, int64_t least, int64_t most) const;
  // A position or size below 2^31.
  int64_t position(size_t i) const;
  int64_t bigint(size_t i) const;
  std::string text(size_t i) const;
  // A Uint8Array's bytes; valid until the call returns.
  Bytes bytes(size_t i) const;
  // An ArrayBuffer's bytes; none where it was given away. Valid until the call returns.
  Bytes buffer(size_t i) const;

 private:
  napi_env env_;
  size_t count_ = kMost;
  napi_value values_[kMost];
};

}  // namespace plog::api
