// Walks the batches of a file and answers with their headers as rows, where
// good bytes end, and why. It judges nothing and changes nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "batch_rows.h"
#include "file.h"

namespace plog {

struct ScanRequest {
  int64_t segment_base;
  int64_t from;         // 0 <= from <= end
  int64_t end;          // at most the valid size
  int64_t max_batches;  // read, whether they get a row or not
  bool check_crc;
  bool has_until;
  int64_t until_timestamp;
};

struct ScanResult {
  int64_t end_position = 0;
  ScanStop stop = ScanStop::end;
  uint32_t crc_expected = 0;
  uint32_t crc_actual = 0;
};

// Reads up to 256 KiB at a time, through memory that the thread keeps, and never
// holds a whole batch. It ends with `limit` where the rows are full. Where
// `cancelled` becomes true it ends early with an unspecified result.
Status scan_batches(const File& file, const ScanRequest& request,
                    const std::atomic<bool>& cancelled, BatchRows* rows, ScanResult* result);

}  // namespace plog
