// A scan's result as columns in one ArrayBuffer: five of int64, then nine of
// 32 bits, each `count` long, in the order that lib/backend/native/columns.ts
// reads them.
#pragma once

#include <node_api.h>

#include "../core/batch_scan.h"

namespace plog::api {

napi_value pack_columns(napi_env env, const ScanResult& result);

}  // namespace plog::api
