// Start of the addon: one Environment for each JavaScript environment that
// loads it, the export table, and what the loader proves it by. Nothing here
// or below is shared between environments.
#include <node_api.h>

#include "api/entry.h"
#include "core/batch_header.h"
#include "core/directory_lock.h"
#include "core/layout.h"

#ifndef PARTITION_LOG_SOURCE_HASH
#error "scripts/native-hash.cjs gives the hash; binding.gyp and CMakeLists.txt pass it on"
#endif

namespace plog::api {

namespace {

// Found in the file by its name, so that a stale binary is known without
// being loaded.
constexpr char kHashMarker[] = "PARTITION_LOG_SOURCE_HASH=" PARTITION_LOG_SOURCE_HASH;
constexpr size_t kHashNameLength = sizeof "PARTITION_LOG_SOURCE_HASH=" - 1;

void set(napi_env env, napi_value exports, const char* name, napi_value value) {
  check(napi_set_named_property(env, exports, name, value));
}

napi_value text(napi_env env, const char* value) {
  napi_value result;
  check(napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result));
  return result;
}

template <size_t count>
napi_value names(napi_env env, const char* const (&list)[count]) {
  napi_value result;
  check(napi_create_array_with_length(env, count, &result));
  for (uint32_t i = 0; i < count; ++i) check(napi_set_element(env, result, i, text(env, list[i])));
  return result;
}

void export_functions(Environment* environment, napi_value exports, const Exports& functions) {
  for (size_t i = 0; i < functions.count; ++i) {
    const Export& row = functions.begin[i];
    napi_value function;
    check(napi_create_function(environment->env, row.name, NAPI_AUTO_LENGTH, row.function,
                               environment, &function));
    set(environment->env, exports, row.name, function);
  }
}

// Exports an array that answers are written into; alive as long as the addon.
void* export_array(napi_env env, napi_value exports, const char* name, napi_typedarray_type type,
                   size_t count, size_t bytes, napi_ref* reference) {
  void* data;
  napi_value buffer, array;
  check(napi_create_arraybuffer(env, bytes, &data, &buffer));
  check(napi_create_typedarray(env, type, count, buffer, 0, &array));
  check(napi_create_reference(env, array, 1, reference));
  set(env, exports, name, array);
  return data;
}

void export_answers(Environment* environment, napi_value exports) {
  napi_env env = environment->env;
  environment->numbers = static_cast<int32_t*>(
      export_array(env, exports, "numbers", napi_int32_array, kNumberCount,
                   kNumberCount * sizeof(int32_t), &environment->numbers_reference));
  environment->bigs = static_cast<int64_t*>(export_array(env, exports, "bigs", napi_bigint64_array,
                                                         kBigCount, kBigCount * sizeof(int64_t),
                                                         &environment->bigs_reference));
}

// The environment's end: its lanes have ended already.
void destroy(napi_env env, void* data, void*) {
  std::unique_ptr<Environment> environment(static_cast<Environment*>(data));
  environment->handles.for_each_lane(
      [env](BoundLane& bound) { napi_delete_reference(env, bound.completed); });
  for (napi_ref reference : {environment->numbers_reference, environment->bigs_reference}) {
    if (reference != nullptr) napi_delete_reference(env, reference);
  }
}

napi_value start(napi_env env, napi_value exports) {
  auto owned = std::make_unique<Environment>(env);
  Environment* environment = owned.get();
  check(napi_set_instance_data(env, environment, destroy, nullptr));
  owned.release();
  export_answers(environment, exports);
  for (const Exports& functions : {log_exports(), log_search_exports(), index_exports(),
                                   lane_exports(), misc_exports(), record_exports()}) {
    export_functions(environment, exports, functions);
  }
  set(env, exports, "sourceHash", text(env, kHashMarker + kHashNameLength));
  set(env, exports, "layoutFingerprint", text(env, layout::fingerprint().c_str()));
  set(env, exports, "locks", text(env, lock_kind()));
  set(env, exports, "callNames", names(env, kCallNames));
  set(env, exports, "scanStops", names(env, kScanStopNames));
  return exports;
}

}  // namespace

}  // namespace plog::api

NAPI_MODULE_INIT() {
  try {
    return plog::api::start(env, exports);
  } catch (const plog::api::JavaScriptFault&) {
    return nullptr;  // Node has the error
  } catch (const std::exception& error) {
    plog::api::throw_error(env, "ERR_IO", error.what());
    return nullptr;
  }
}
