package partitionlog.kafka.bench.row;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;

/**
 * Times of single operations, in memory that is there before the first; percentiles as bench/work/latencies.mjs takes
 * them.
 */
public final class Latencies {
  private final long[] ns;
  private int count;

  /** Room for `capacity` times. */
  public Latencies(int capacity) {
    ns = new long[capacity];
  }

  public void add(long time) {
    ns[count++] = time;
  }

  /** Of what was added so far. */
  public long median() {
    Arrays.sort(ns, 0, count);
    return at(0.5);
  }

  void writeTo(ObjectNode figures) {
    Arrays.sort(ns, 0, count);
    figures.put("p50", at(0.5)).put("p99", at(0.99)).put("max", ns[count - 1]);
    count = 0;
  }

  private long at(double part) {
    return ns[Math.min(count - 1, (int) (part * count))];
  }
}
