package partitionlog.kafka.bench.row.hot;

import java.util.Map;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.bench.row.Latencies;
import partitionlog.kafka.bench.row.ProcessUse;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/**
 * UnifiedLog.appendAsLeader of ready batches, one after the other; each round on a new log and in the parts of
 * bench/work/rounds.mjs.
 */
final class AppendRow implements Row {
  private static final int FIRST_CALLS = 200;
  private static final int TIMED_PART = 4;

  private final RowRequest request;
  private final int operations;
  private final Batch batch;

  AppendRow(RowRequest request) throws Exception {
    this.request = request;
    operations = (int) request.number("operations");
    batch = new Batch(Shape.plain((int) request.number("records"), (int) request.number("valueBytes")));
    for (long n = request.number("warmUps"); n > 0; n--) round();
  }

  @Override
  public Sample round() throws Exception {
    KafkaLog opened = KafkaLog.create(request.directory(), Map.of());
    try {
      return measure(opened.log());
    } finally {
      opened.remove();
    }
  }

  @Override
  public void close() {}

  private Sample measure(UnifiedLog log) throws Exception {
    for (int n = 0; n < FIRST_CALLS; n++) batch.append(log);
    long[] before = ProcessUse.calls();
    long start = System.nanoTime();
    for (int n = 0; n < operations; n++) batch.append(log);
    double ns = System.nanoTime() - start;
    long[] after = ProcessUse.calls();
    Sample sample = Sample.of(ns / operations, operations).with(timedSingly(log));
    return before == null ? sample.withoutCalls() : sample.calls(before, after);
  }

  private Latencies timedSingly(UnifiedLog log) throws Exception {
    int count = (operations + TIMED_PART - 1) / TIMED_PART;
    Latencies latencies = new Latencies(count);
    for (int n = 0; n < count; n++) {
      long start = System.nanoTime();
      batch.append(log);
      latencies.add(System.nanoTime() - start);
    }
    return latencies;
  }
}
