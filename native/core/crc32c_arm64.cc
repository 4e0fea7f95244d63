// CRC-32C by the instruction of ARMv8 processors, chosen at run time.
#include <cstring>

#include "cpu.h"
#include "crc.h"
#include "crc_tables.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define PLOG_TARGET(features)
#elif defined(__clang__)
#include <arm_acle.h>
#define PLOG_TARGET(features) __attribute__((target("crc")))
#else
#include <arm_acle.h>
#define PLOG_TARGET(features) __attribute__((target("+crc")))
#endif

namespace plog {

namespace {

PLOG_TARGET("crc")
uint32_t by_instruction(uint32_t crc, const uint8_t* bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    crc = __crc32cd(crc, word);
  }
  for (; length > 0; ++bytes, --length) crc = __crc32cb(crc, *bytes);
  return crc;
}

}  // namespace

int crc32c_kernels(Crc32cKernel* kernels) {
  int count = 0;
  if (cpu_has_arm_crc()) kernels[count++] = {"arm-crc", by_instruction};
  kernels[count++] = {"table", crc_sliced<kCastagnoli>};
  return count;
}

}  // namespace plog
