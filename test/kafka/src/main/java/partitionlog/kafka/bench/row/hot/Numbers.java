package partitionlog.kafka.bench.row.hot;

/** The same numbers at random as bench/data/numbers.mjs: Marsaglia's xorshift of 32 bits from one seed. */
final class Numbers {
  private static final int SEED = 0x9e3779b9;
  private static final int COUNT = 65_536;

  private final long[] numbers = new long[COUNT];

  /** From `from` on, below `to`. */
  Numbers(long from, long to) {
    int x = SEED;
    for (int n = 0; n < COUNT; n++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      numbers[n] = from + Integer.toUnsignedLong(x) % (to - from);
    }
  }

  /** What call `n` of a loop asks for. */
  long of(int n) {
    return numbers[n & (COUNT - 1)];
  }
}
