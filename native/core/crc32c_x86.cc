// CRC-32C on x86-64, three ways, chosen at run time: folding of 64-byte lanes
// (VPCLMULQDQ with AVX-512), folding of 16-byte lanes (PCLMULQDQ), and the
// SSE4.2 instruction alone, which also finishes what the others leave.
//
// Folding: a lane moved on by N bits is multiplied by x^N mod P. Its low half
// lies 64 bits further from the end, hence the pair of constants; bits are
// reflected, so a product comes out one bit to the right and constants are
// stored one bit to the left.
#include <cstring>

#include "cpu_x86.h"
#include "crc.h"
#include "crc_tables.h"

namespace plog {

namespace {

// x^bits mod P, reflected, one bit to the left.
constexpr int64_t power_of_x(int bits) {
  uint32_t value = 0x80000000;  // x^0, reflected
  for (int i = 0; i < bits; ++i) value = (value >> 1) ^ ((value & 1) ? kCastagnoli : 0);
  return static_cast<int64_t>(uint64_t{value} << 1);
}

// Constants that move a 128-bit lane on by `bits`.
struct Fold {
  int64_t low;
  int64_t high;
};

constexpr Fold fold_by(int bits) { return {power_of_x(bits + 32), power_of_x(bits - 32)}; }

constexpr Fold kBy128 = fold_by(128);
constexpr Fold kBy256 = fold_by(256);
constexpr Fold kBy384 = fold_by(384);
constexpr Fold kBy512 = fold_by(512);
constexpr Fold kBy2048 = fold_by(2048);

PLOG_TARGET("sse4.2,crc32")
uint32_t by_instruction(uint32_t crc, const uint8_t* bytes, size_t length) {
  uint64_t wide = crc;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; length > 0; ++bytes, --length) crc = _mm_crc32_u8(crc, *bytes);
  return crc;
}

// A 128-bit lane is sixteen bytes of message as any other.
PLOG_TARGET("sse4.2,crc32")
uint32_t finish(__m128i lane, const uint8_t* bytes, size_t length) {
  uint64_t crc = _mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(lane)));
  crc = _mm_crc32_u64(crc, static_cast<uint64_t>(_mm_extract_epi64(lane, 1)));
  return by_instruction(static_cast<uint32_t>(crc), bytes, length);
}

PLOG_TARGET("sse4.2,crc32,pclmul")
inline __m128i fold16(__m128i lane, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

PLOG_TARGET("sse4.2,crc32")
inline __m128i constants16(Fold fold) { return _mm_set_epi64x(fold.high, fold.low); }

PLOG_TARGET("sse4.2,crc32")
inline __m128i load16(const uint8_t* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

PLOG_TARGET("sse4.2,crc32,pclmul")
uint32_t by_folding16(uint32_t crc, const uint8_t* bytes, size_t length) {
  if (length < 128) return by_instruction(crc, bytes, length);
  __m128i lane[4];
  for (int i = 0; i < 4; ++i) lane[i] = load16(bytes + 16 * i);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  bytes += 64;
  length -= 64;
  const __m128i by512 = constants16(kBy512);
  for (; length >= 64; bytes += 64, length -= 64) {
    for (int i = 0; i < 4; ++i) lane[i] = fold16(lane[i], by512, load16(bytes + 16 * i));
  }
  const __m128i by128 = constants16(kBy128);
  for (int i = 1; i < 4; ++i) lane[i] = fold16(lane[i - 1], by128, lane[i]);
  return finish(lane[3], bytes, length);
}

#define PLOG_WIDE "avx512f,avx512vl,avx512dq,vpclmulqdq,sse4.2,crc32,pclmul"

PLOG_TARGET(PLOG_WIDE)
inline __m512i fold64(__m512i lane, __m512i constants, __m512i next) {
  const __m512i low = _mm512_clmulepi64_epi128(lane, constants, 0x00);
  const __m512i high = _mm512_clmulepi64_epi128(lane, constants, 0x11);
  return _mm512_ternarylogic_epi64(low, high, next, 0x96);  // xor of three
}

PLOG_TARGET(PLOG_WIDE)
inline __m512i constants64(Fold fold) {
  return _mm512_set_epi64(fold.high, fold.low, fold.high, fold.low, fold.high, fold.low, fold.high,
                          fold.low);
}

PLOG_TARGET(PLOG_WIDE)
inline __m512i load64(const uint8_t* bytes) { return _mm512_loadu_si512(bytes); }

// The four 16-byte parts of a lane, brought to its end and added up.
PLOG_TARGET(PLOG_WIDE)
inline __m128i narrow(__m512i lane) {
  __m128i sum = _mm512_extracti64x2_epi64(lane, 3);
  sum = fold16(_mm512_extracti64x2_epi64(lane, 0), constants16(kBy384), sum);
  sum = fold16(_mm512_extracti64x2_epi64(lane, 1), constants16(kBy256), sum);
  return fold16(_mm512_extracti64x2_epi64(lane, 2), constants16(kBy128), sum);
}

PLOG_TARGET(PLOG_WIDE)
uint32_t by_folding64(uint32_t crc, const uint8_t* bytes, size_t length) {
  if (length < 128) return by_instruction(crc, bytes, length);
  const __m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc)));
  const __m512i by512 = constants64(kBy512);
  __m512i sum;
  if (length >= 256) {
    __m512i lane[4];
    for (int i = 0; i < 4; ++i) lane[i] = load64(bytes + 64 * i);
    lane[0] = _mm512_xor_si512(lane[0], start);
    bytes += 256;
    length -= 256;
    const __m512i by2048 = constants64(kBy2048);
    for (; length >= 256; bytes += 256, length -= 256) {
      for (int i = 0; i < 4; ++i) lane[i] = fold64(lane[i], by2048, load64(bytes + 64 * i));
    }
    for (int i = 1; i < 4; ++i) lane[i] = fold64(lane[i - 1], by512, lane[i]);
    sum = lane[3];
  } else {
    sum = _mm512_xor_si512(load64(bytes), start);
    bytes += 64;
    length -= 64;
  }
  for (; length >= 64; bytes += 64, length -= 64) sum = fold64(sum, by512, load64(bytes));
  return finish(narrow(sum), bytes, length);
}

bool has_wide_folding(const x86::Cpuid& basic) {
  if (!x86::saves(basic, 0xe6)) return false;
  const x86::Cpuid more = x86::cpuid(7);
  return x86::has(more.ebx, 16) && x86::has(more.ebx, 17) && x86::has(more.ebx, 31) &&
         x86::has(more.ecx, 10);
}

}  // namespace

int crc32c_kernels(Crc32cKernel* kernels) {
  int count = 0;
  const x86::Cpuid basic = x86::cpuid(1);
  const bool sse42 = x86::has(basic.ecx, 20);
  const bool pclmul = sse42 && x86::has(basic.ecx, 1);
  if (pclmul && has_wide_folding(basic)) kernels[count++] = {"vpclmulqdq", by_folding64};
  if (pclmul) kernels[count++] = {"pclmulqdq", by_folding16};
  if (sse42) kernels[count++] = {"sse4.2", by_instruction};
  kernels[count++] = {"table", crc_sliced<kCastagnoli>};
  return count;
}

}  // namespace plog
