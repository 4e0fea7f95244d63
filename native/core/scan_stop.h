// Why a walk over batches ended. Numbers are positions in TypeScript's list
// of names, which the addon hands over (`scanStops`).
#pragma once

namespace plog {

enum class ScanStop : int {
  found,  // only of a translation
  end,
  limit,
  torn_header,
  torn_batch,
  bad_length,
  bad_magic,
  bad_crc,
  offset_order,
};

inline constexpr const char* kScanStopNames[] = {
    "found",      "end",       "limit",   "torn-header",  "torn-batch",
    "bad-length", "bad-magic", "bad-crc", "offset-order",
};

}  // namespace plog
