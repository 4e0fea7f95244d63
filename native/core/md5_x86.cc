// MD5 of many short texts at once on x86-64: sixteen lanes a register with
// AVX-512, eight with AVX2. Chosen at run time.
#include "cpu_x86.h"
#include "md5.h"

namespace plog {

namespace {

namespace avx512 {

#define PLOG_LANES_TARGET "avx512f"

using Vec = __m512i;
constexpr int kLanes = 16;

PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec all(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec load(const uint32_t* from) { return _mm512_load_si512(from); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline void store(uint32_t* to, Vec value) { _mm512_store_si512(to, value); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec add(Vec a, Vec b) { return _mm512_add_epi32(a, b); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec rotate(Vec a, int bits) {
  // The form without a mask makes GCC 12 warn of its own header.
  return _mm512_maskz_rolv_epi32(0xffff, a, _mm512_set1_epi32(bits));
}
// The last argument is the table of the function's eight answers.
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round1(Vec b, Vec c, Vec d) { return _mm512_ternarylogic_epi32(b, c, d, 0xca); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round2(Vec b, Vec c, Vec d) { return _mm512_ternarylogic_epi32(d, b, c, 0xca); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round3(Vec b, Vec c, Vec d) { return _mm512_ternarylogic_epi32(b, c, d, 0x96); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round4(Vec b, Vec c, Vec d) { return _mm512_ternarylogic_epi32(b, c, d, 0x39); }

#include "md5_lanes.h"

#undef PLOG_LANES_TARGET

}  // namespace avx512

namespace avx2 {

#define PLOG_LANES_TARGET "avx2"

using Vec = __m256i;
constexpr int kLanes = 8;

PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec all(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec load(const uint32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
PLOG_TARGET(PLOG_LANES_TARGET)
inline void store(uint32_t* to, Vec value) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
}
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec add(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec rotate(Vec a, int bits) {
  return _mm256_or_si256(_mm256_slli_epi32(a, bits), _mm256_srli_epi32(a, 32 - bits));
}
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round1(Vec b, Vec c, Vec d) {
  return _mm256_xor_si256(d, _mm256_and_si256(b, _mm256_xor_si256(c, d)));
}
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round2(Vec b, Vec c, Vec d) { return round1(d, b, c); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round3(Vec b, Vec c, Vec d) { return _mm256_xor_si256(b, _mm256_xor_si256(c, d)); }
PLOG_TARGET(PLOG_LANES_TARGET)
inline Vec round4(Vec b, Vec c, Vec d) {
  const Vec not_d = _mm256_xor_si256(d, _mm256_set1_epi32(-1));
  return _mm256_xor_si256(c, _mm256_or_si256(b, not_d));
}

#include "md5_lanes.h"

#undef PLOG_LANES_TARGET

}  // namespace avx2

}  // namespace

int md5_kernels(Md5Kernel* kernels) {
  int count = 0;
  const x86::Cpuid basic = x86::cpuid(1);
  const x86::Cpuid more = x86::cpuid(7);
  if (x86::saves(basic, 0xe6) && x86::has(more.ebx, 16))
    kernels[count++] = {"avx512", avx512::digest_lanes};
  if (x86::saves(basic, 0x6) && x86::has(more.ebx, 5))
    kernels[count++] = {"avx2", avx2::digest_lanes};
  return count;
}

}  // namespace plog
