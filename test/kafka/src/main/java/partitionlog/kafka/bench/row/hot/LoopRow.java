package partitionlog.kafka.bench.row.hot;

import partitionlog.kafka.bench.row.ProcessUse;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/** Rounds of one call, repeated for about `roundMs` after a warm-up, timed together as bench/work/loop.mjs does. */
abstract class LoopRow implements Row {
  private static final int BLOCK = 256;
  private static final long NS_PER_MS = 1_000_000;

  private final RowRequest request;
  /** What the calls give is added up, so that none of them can be left out. */
  private long sum;

  LoopRow(RowRequest request) {
    this.request = request;
  }

  /** Call `n` of a round. */
  abstract long call(int n) throws Exception;

  /** The row itself, ready for its rounds. */
  final LoopRow warmedUp() throws Exception {
    run(request.number("warmUpMs"));
    return this;
  }

  @Override
  public final Sample round() throws Exception {
    return run(request.number("roundMs"));
  }

  private Sample run(long ms) throws Exception {
    long cpu = ProcessUse.cpuNs();
    long start = System.nanoTime();
    int operations = 0;
    long ns;
    do {
      sum += block(operations);
      operations += BLOCK;
      ns = System.nanoTime() - start;
    } while (ns < ms * NS_PER_MS);
    if (sum == 0) throw new IllegalStateException("the calls gave nothing");
    double counted = (double) operations * countedInCall();
    return Sample.of(ns / counted, counted).extra("cpuNs", (ProcessUse.cpuNs() - cpu) / counted);
  }

  /** How many of what the row counts a call does. */
  int countedInCall() {
    return 1;
  }

  /** A method of its own, so that it is compiled as a whole. */
  private long block(int from) throws Exception {
    long answers = 0;
    for (int n = 0; n < BLOCK; n++) answers += call(from + n);
    return answers;
  }
}
