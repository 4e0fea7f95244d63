// How JavaScript calls in: one wrapper around every native function, which
// reads the arguments and lets no C++ exception out.
#pragma once

#include <node_api.h>

#include <exception>

#include "arguments.h"
#include "environment.h"

namespace plog::api {

using Function = napi_value (*)(Environment& environment, const Arguments& arguments);

// Throws `message` into JavaScript; nothing where JavaScript is ending.
void throw_error(napi_env env, const char* code, const char* message);
void throw_fault(napi_env env, const ArgumentFault& fault);

template <Function function>
napi_value enter(napi_env env, napi_callback_info info) {
  try {
    void* data = nullptr;
    const Arguments arguments(env, info, &data);
    return function(*static_cast<Environment*>(data), arguments);
  } catch (const ArgumentFault& fault) {
    throw_fault(env, fault);
  } catch (const JavaScriptFault&) {
    // JavaScript has thrown, or is ending: there is nothing to add.
  } catch (const std::exception& error) {
    throw_error(env, "ERR_IO", error.what());
  }
  return nullptr;
}

template <class T>
T& object_of(Environment& environment, const Arguments& arguments, size_t i) {
  const int64_t handle = arguments.integer(i, 0, int64_t{1} << 53);
  T* object = environment.handles.find<T>(handle);
  if (object == nullptr)
    throw ArgumentFault{false, "argument " + std::to_string(i) + " is no open handle of this kind"};
  return *object;
}

// An index that is one of offsets, or of times.
IndexFile& index_of_kind(Environment& environment, const Arguments& arguments, size_t i,
                         IndexKind kind);

// Answers the failure of a read. Bytes that are not in the page cache, or a
// system that cannot tell, are no failure where waiting was not allowed.
napi_value unread(Environment& environment, const Status& status, Wait wait);

// Adds the object and gives its handle to JavaScript.
template <class T>
napi_value handle_of(Environment& environment, std::unique_ptr<T> object) {
  const int64_t handle = environment.handles.add(std::move(object));
  if (handle < 0) throw ArgumentFault{true, "too many open files"};
  napi_value value;
  check(napi_create_double(environment.env, static_cast<double>(handle), &value));
  return value;
}

// One row of the export table.
struct Export {
  const char* name;
  napi_callback function;
};

// The groups of functions, each in a file of its own.
struct Exports {
  const Export* begin;
  size_t count;
};

Exports log_exports();
Exports log_search_exports();
Exports index_exports();
Exports lane_exports();
Exports misc_exports();
Exports record_exports();

}  // namespace plog::api
