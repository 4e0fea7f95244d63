package partitionlog.kafka.bench.row.hot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.bench.row.Latencies;
import partitionlog.kafka.bench.row.ProcessUse;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/**
 * UnifiedLog.appendAsLeader of one record of 100 B: by one thread into the page cache, or by as many threads as there
 * are callers, each append flushed (flush.messages=1) before it returns. A round ends as in bench/work/together.mjs.
 */
final class TogetherRow implements Row {
  private static final int VALUE_BYTES = 100;
  private static final int FIRST_PART = 8;
  private static final long NS_PER_MS = 1_000_000;
  private static final double NS_PER_SECOND = 1e9;

  private final RowRequest request;
  private final int operations;
  private final long roundMs;
  private final Map<String, String> settings;
  private final List<Batch> batches = new ArrayList<>();
  private final ExecutorService threads;

  private TogetherRow(RowRequest request, int callers, Map<String, String> settings) throws Exception {
    this.request = request;
    this.settings = settings;
    operations = (int) request.number("operations");
    roundMs = request.number("roundMs");
    threads = Executors.newFixedThreadPool(callers, TogetherRow::daemon);
    for (int n = 0; n < callers; n++) batches.add(new Batch(Shape.plain(1, VALUE_BYTES)));
    for (long n = request.number("warmUps"); n > 0; n--) round();
  }

  /** Where the main thread fails, nothing keeps the process. */
  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  static TogetherRow oneByOne(RowRequest request) throws Exception {
    return new TogetherRow(request, 1, Map.of());
  }

  static TogetherRow durable(RowRequest request) throws Exception {
    return new TogetherRow(request, (int) request.number("callers"), Map.of("flush.messages", "1"));
  }

  @Override
  public Sample round() throws Exception {
    KafkaLog opened = KafkaLog.create(request.directory(), settings);
    try {
      return measure(opened.log());
    } finally {
      opened.remove();
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }

  private Sample measure(UnifiedLog log) throws Exception {
    runAll(log, FIRST_PART);
    long[] before = ProcessUse.calls();
    long start = System.nanoTime();
    long[] times = runAll(log, 1);
    double ns = System.nanoTime() - start;
    long[] after = ProcessUse.calls();
    Latencies latencies = new Latencies(times.length);
    for (long time : times) latencies.add(time);
    Sample sample = Sample.of(times.length * NS_PER_SECOND / ns, times.length).with(latencies);
    return before == null ? sample.withoutCalls() : sample.calls(before, after);
  }

  /** One `part`th of a round; gives what each append took. */
  private long[] runAll(UnifiedLog log, int part) throws Exception {
    AtomicInteger left = new AtomicInteger(operations / part);
    long end = System.nanoTime() + roundMs * NS_PER_MS / part;
    List<Future<long[]>> callers = new ArrayList<>();
    for (Batch batch : batches) callers.add(threads.submit(() -> appendAll(log, batch, left, end)));
    LongStream.Builder times = LongStream.builder();
    for (Future<long[]> caller : callers) for (long time : caller.get()) times.add(time);
    return times.build().toArray();
  }

  private static long[] appendAll(UnifiedLog log, Batch batch, AtomicInteger left, long end) throws Exception {
    LongStream.Builder times = LongStream.builder();
    for (long now = System.nanoTime(); now < end && left.getAndDecrement() > 0;) {
      long start = now;
      batch.append(log);
      now = System.nanoTime();
      times.add(now - start);
    }
    return times.build().toArray();
  }
}
