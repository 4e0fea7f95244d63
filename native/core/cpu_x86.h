// What an x86-64 processor can do, and compiling a function for more than the
// build's least processor. Whoever uses such a function has asked here first.
#pragma once

#include <immintrin.h>

#include <cstdint>
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define PLOG_TARGET(features)
#else
#define PLOG_TARGET(features) __attribute__((target(features)))
#endif

namespace plog::x86 {

struct Cpuid {
  uint32_t eax, ebx, ecx, edx;
};

inline Cpuid cpuid(uint32_t leaf) {
  Cpuid out{};
#if defined(_MSC_VER)
  int words[4];
  __cpuidex(words, static_cast<int>(leaf), 0);
  out = {static_cast<uint32_t>(words[0]), static_cast<uint32_t>(words[1]),
         static_cast<uint32_t>(words[2]), static_cast<uint32_t>(words[3])};
#else
  __get_cpuid_count(leaf, 0, &out.eax, &out.ebx, &out.ecx, &out.edx);
#endif
  return out;
}

inline bool has(uint32_t word, int bit) { return ((word >> bit) & 1) != 0; }

// Which register sets the operating system saves.
inline uint64_t saved_state() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
#endif
}

// Whether the registers of AVX (`mask` 0x6) or AVX-512 (0xe6) may be used.
inline bool saves(const Cpuid& basic, uint64_t mask) {
  return has(basic.ecx, 27) && (saved_state() & mask) == mask;  // OSXSAVE
}

}  // namespace plog::x86
