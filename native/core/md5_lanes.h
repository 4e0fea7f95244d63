// MD5 of one block in every lane of a register. Included by md5_x86.cc once
// for each width, in a namespace that has `Vec`, `kLanes` and the operations
// on it: so there is no include guard here.
//
// `groups` registers are taken side by side: a step waits for the one before,
// and with two the processor always has something to do.

template <int groups>
PLOG_TARGET(PLOG_LANES_TARGET)
inline void digest_groups(Md5Lanes& lanes, int first) {
  Vec a[groups], b[groups], c[groups], d[groups];
  for (int g = 0; g < groups; ++g) {
    a[g] = all(kMd5Start[0]);
    b[g] = all(kMd5Start[1]);
    c[g] = all(kMd5Start[2]);
    d[g] = all(kMd5Start[3]);
  }
// The arguments are names of arrays and of functions, which must not stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
// Steps i to i + 3 of a round, whose words are those of `w`, then each `by` further.
#define PLOG_MD5_STEP(round, a, b, c, d, n, w, bits)                                               \
  for (int g = 0; g < groups; ++g)                                                                 \
    a[g] = add(b[g],                                                                               \
               rotate(add(add(a[g], round(b[g], c[g], d[g])),                                      \
                          add(load(&lanes.words[(w)&15][first + g * kLanes]), all(kMd5Sines[n]))), \
                      bits));
#define PLOG_MD5_ROUND(round, from, w, by, s0, s1, s2, s3)      \
  for (int i = from; i < from + 16; i += 4) {                   \
    PLOG_MD5_STEP(round, a, b, c, d, i, w, s0)                  \
    PLOG_MD5_STEP(round, d, a, b, c, i + 1, (w) + (by), s1)     \
    PLOG_MD5_STEP(round, c, d, a, b, i + 2, (w) + 2 * (by), s2) \
    PLOG_MD5_STEP(round, b, c, d, a, i + 3, (w) + 3 * (by), s3) \
  }
  // NOLINTEND(bugprone-macro-parentheses)
  PLOG_MD5_ROUND(round1, 0, i, 1, 7, 12, 17, 22)
  PLOG_MD5_ROUND(round2, 16, 5 * i + 1, 5, 5, 9, 14, 20)
  PLOG_MD5_ROUND(round3, 32, 3 * i + 5, 3, 4, 11, 16, 23)
  PLOG_MD5_ROUND(round4, 48, 7 * i, 7, 6, 10, 15, 21)
#undef PLOG_MD5_ROUND
#undef PLOG_MD5_STEP
  for (int g = 0; g < groups; ++g) {
    store(&lanes.digests[0][first + g * kLanes], add(a[g], all(kMd5Start[0])));
    store(&lanes.digests[1][first + g * kLanes], add(b[g], all(kMd5Start[1])));
    store(&lanes.digests[2][first + g * kLanes], add(c[g], all(kMd5Start[2])));
    store(&lanes.digests[3][first + g * kLanes], add(d[g], all(kMd5Start[3])));
  }
}

// `count` is at most what the lanes hold.
PLOG_TARGET(PLOG_LANES_TARGET)
void digest_lanes(Md5Lanes& lanes, int count) {
  int first = 0;
  for (; count - first > kLanes; first += 2 * kLanes) digest_groups<2>(lanes, first);
  if (first < count) digest_groups<1>(lanes, first);
}
