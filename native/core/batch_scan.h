// Walks the batches of a file and answers with their headers as columns,
// where good bytes end, and why. It judges nothing and changes nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "batch_header.h"
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
  std::vector<BatchHeader> batches;
  std::vector<int32_t> positions;
  int64_t end_position = 0;
  ScanStop stop = ScanStop::end;
  uint32_t crc_expected = 0;
  uint32_t crc_actual = 0;
};

// Reads 1 MiB at a time and never holds a whole batch. Where `cancelled`
// becomes true the scan ends early with an unspecified result.
Status scan_batches(const File& file, const ScanRequest& request,
                    const std::atomic<bool>& cancelled, ScanResult* result);

}  // namespace plog
