// What only the operating system can say about the processor.
#pragma once

namespace plog {

// True where a 64-bit ARM processor has the CRC-32 instructions.
bool cpu_has_arm_crc();

}  // namespace plog
