// Rows into columns.
#include "columns.h"

#include "arguments.h"

namespace plog::api {

namespace {

constexpr size_t kBytesARow = 5 * sizeof(int64_t) + 9 * sizeof(int32_t);

// Fills one column and moves on to where the next one starts.
template <class T, class Field>
T* fill(T* column, const std::vector<BatchHeader>& rows, Field field) {
  for (const BatchHeader& row : rows) *column++ = static_cast<T>(row.*field);
  return column;
}

}  // namespace

napi_value pack_columns(napi_env env, const ScanResult& result) {
  const auto& rows = result.batches;
  void* data = nullptr;
  napi_value buffer;
  check(napi_create_arraybuffer(env, rows.size() * kBytesARow, &data, &buffer));
  auto* wide = static_cast<int64_t*>(data);
  wide = fill(wide, rows, &BatchHeader::base_offset);
  wide = fill(wide, rows, &BatchHeader::last_offset);
  wide = fill(wide, rows, &BatchHeader::base_timestamp);
  wide = fill(wide, rows, &BatchHeader::max_timestamp);
  wide = fill(wide, rows, &BatchHeader::producer_id);
  auto* narrow = reinterpret_cast<int32_t*>(wide);
  for (const int32_t position : result.positions) *narrow++ = position;
  narrow = fill(narrow, rows, &BatchHeader::size);
  narrow = fill(narrow, rows, &BatchHeader::magic);
  narrow = fill(narrow, rows, &BatchHeader::attributes);
  narrow = fill(narrow, rows, &BatchHeader::leader_epoch);
  narrow = fill(narrow, rows, &BatchHeader::crc);
  narrow = fill(narrow, rows, &BatchHeader::count);
  narrow = fill(narrow, rows, &BatchHeader::producer_epoch);
  fill(narrow, rows, &BatchHeader::base_sequence);
  return buffer;
}

}  // namespace plog::api
