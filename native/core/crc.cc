// Chooses the fastest CRC-32C of this processor once; CRC-32 is by table.
#include "crc.h"

#include "crc_tables.h"

namespace plog {

namespace {

Crc32cKernel fastest() {
  Crc32cKernel kernels[4];
  crc32c_kernels(kernels);
  return kernels[0];
}

}  // namespace

uint32_t crc32c(uint32_t crc, const uint8_t* bytes, size_t length) {
  static const Crc32cKernel kernel = fastest();
  return ~kernel.update(~crc, bytes, length);
}

uint32_t crc32_ieee(uint32_t crc, const uint8_t* bytes, size_t length) {
  return ~crc_sliced<kIeee>(~crc, bytes, length);
}

}  // namespace plog
