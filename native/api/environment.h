// Everything that one JavaScript environment (the main thread, a worker) has:
// its handles, the arrays that answers are written into, and the way that
// finished lane tasks come back. Used on that environment's thread only.
#pragma once

#include <node_api.h>

#include <memory>
#include <new>

#include "../core/status.h"
#include "../core/translate.h"
#include "handle_table.h"

namespace plog::api {

// Places in the Int32Array of answers; the same list is in
// lib/backend/native/answers.ts.
enum Number : int {
  kError,          // 0, or negative in libuv's numbering
  kCall,           // which call failed
  kErrorPosition,  // where, or -1
  kPart,           // of an append: log, offset index, time index
  kDamaged,        // 1 where a cut-back failed
  kStop,
  kPosition,
  kIndexKey,
  kIndexValue,
  kSize,
  kMagic,
  kLength,
  kCapacity,
  kOddBytes,
  kBadRow,  // of columns: it does not fit the bytes; or -1
  kStart,   // of a slice in its buffer; or -1: not cached, not found; -2: longer than the buffer
  kNumberCount,
};

// Places in the BigInt64Array.
enum Big : int { kBaseOffset, kLastOffset, kTimestamp, kBigCount };

struct Environment {
  explicit Environment(napi_env environment) : env(environment) {}

  napi_env env;
  HandleTable handles;

  // Memory of the arrays that the addon exports, and keeps alive itself.
  int32_t* numbers = nullptr;
  int64_t* bigs = nullptr;
  napi_ref numbers_reference = nullptr;
  napi_ref bigs_reference = nullptr;

  // Memory for what a function reads and does not hand out; null where there is none.
  uint8_t* scratch(size_t length) {
    if (scratch_length < length) {
      scratch_memory.reset(new (std::nothrow) uint8_t[length]);
      scratch_length = scratch_memory ? length : 0;
    }
    return scratch_memory.get();
  }
  std::unique_ptr<uint8_t[]> scratch_memory;
  size_t scratch_length = 0;

  napi_threadsafe_function completions = nullptr;
  int64_t pending = 0;

  void answer(const Status& status) {
    numbers[kError] = status.error;
    numbers[kCall] = static_cast<int32_t>(status.call);
    numbers[kErrorPosition] = static_cast<int32_t>(status.position);
  }

  void answer(const Translation& translation) {
    numbers[kStop] = static_cast<int32_t>(translation.stop);
    numbers[kPosition] = static_cast<int32_t>(translation.position);
    numbers[kIndexKey] = static_cast<int32_t>(translation.index_entry.key);
    numbers[kIndexValue] = translation.index_entry.value;
    numbers[kSize] = translation.batch.size;
    numbers[kMagic] = translation.batch.magic;
    bigs[kBaseOffset] = translation.batch.base_offset;
    bigs[kLastOffset] = translation.batch.last_offset;
  }
};

}  // namespace plog::api
