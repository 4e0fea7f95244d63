// The kernel's word on the processor's abilities.
#include <sys/auxv.h>

#include "cpu.h"

namespace plog {

bool cpu_has_arm_crc() {
  constexpr unsigned long kCrc32 = 1UL << 7;  // HWCAP_CRC32 of 64-bit ARM
  return (getauxval(AT_HWCAP) & kCrc32) != 0;
}

}  // namespace plog
