// Checksums of batches: CRC-32C (magic 2) and CRC-32 (magic 0 and 1).
// Both may be taken in pieces: start with 0 and hand the last answer on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plog {

uint32_t crc32c(uint32_t crc, const uint8_t* bytes, size_t length);
uint32_t crc32_ieee(uint32_t crc, const uint8_t* bytes, size_t length);

// One way to compute CRC-32C over raw register states.
struct Crc32cKernel {
  const char* name;
  uint32_t (*update)(uint32_t crc, const uint8_t* bytes, size_t length);
};

// Fills `kernels` (room for 4) with those that this processor can run, the
// fastest first, the table last. One definition for each processor family:
// crc32c_x86.cc, crc32c_arm64.cc, crc32c_other.cc.
int crc32c_kernels(Crc32cKernel* kernels);

}  // namespace plog
