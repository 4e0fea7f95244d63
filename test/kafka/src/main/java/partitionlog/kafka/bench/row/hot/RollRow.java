package partitionlog.kafka.bench.row.hot;

import java.util.Map;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.bench.row.Latencies;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/** The calls of UnifiedLog.appendAsLeader that begin a new segment, each timed alone, as bench/work/roll.mjs does. */
final class RollRow implements Row {
  private static final int VALUE_BYTES = 100;
  private static final Map<String, String> SETTINGS = Map.of("segment.bytes", "1048576");

  private final RowRequest request;
  private final int rolls;
  private final Batch batch;

  RollRow(RowRequest request) throws Exception {
    this.request = request;
    rolls = (int) request.number("rolls");
    batch = new Batch(Shape.plain((int) request.number("records"), VALUE_BYTES));
    for (long n = request.number("warmUps"); n > 0; n--) round();
  }

  @Override
  public Sample round() throws Exception {
    KafkaLog opened = KafkaLog.create(request.directory(), SETTINGS);
    try {
      return measure(opened.log());
    } finally {
      opened.remove();
    }
  }

  @Override
  public void close() {}

  private Sample measure(UnifiedLog log) throws Exception {
    Latencies latencies = new Latencies(rolls);
    for (int left = rolls; left > 0;) {
      int segments = log.numberOfSegments();
      long start = System.nanoTime();
      batch.append(log);
      long ns = System.nanoTime() - start;
      if (log.numberOfSegments() == segments) continue;
      latencies.add(ns);
      left--;
    }
    return Sample.of(latencies.median(), rolls).with(latencies).withoutCalls();
  }
}
