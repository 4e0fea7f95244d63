// The system's word on the processor's abilities.
#include <windows.h>

#include "cpu.h"

namespace plog {

bool cpu_has_arm_crc() {
  constexpr DWORD kCrc32 = 31;  // PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE
  return IsProcessorFeaturePresent(kCrc32) != 0;
}

}  // namespace plog
