// Every 64-bit ARM processor of this platform has the instructions.
#include "cpu.h"

namespace plog {

bool cpu_has_arm_crc() { return true; }

}  // namespace plog
