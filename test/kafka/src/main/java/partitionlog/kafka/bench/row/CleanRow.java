package partitionlog.kafka.bench.row;

import java.io.File;
import java.util.Map;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.CleanerStats;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.utils.Throttler;

/** Kafka's side of rows/clean.mjs: the one log of a copied directory is cleaned, with a broker's defaults. */
final class CleanRow implements Row {
  enum Measured { SECONDS, MEMORY }

  private static final Map<String, String> TOPIC = Map.of("cleanup.policy", "compact", "compression.type", "producer");
  private static final int MAP_BYTES = 134_217_728;
  /** A broker of one cleaner thread: half of log.cleaner.io.buffer.size to read into, half to write from. */
  private static final int IO_BUFFER_BYTES = 524_288 / 2;
  private static final int MAX_MESSAGE_BYTES = 1_048_588;
  private static final double LOAD_FACTOR = 0.9;
  private static final long THROTTLE_CHECK_MS = 300;
  private static final double NS_PER_SECOND = 1e9;
  private static final double KIB_PER_MIB = 1024;

  private final Measured measured;
  private final File dirty;
  private final File copy;
  private final boolean settle;

  CleanRow(RowRequest request, Measured measured) throws Exception {
    this.measured = measured;
    dirty = request.data("clean-" + request.text("codec"));
    copy = new File(request.directory(), "copy");
    settle = request.flag("settle");
    String warmUp = "clean-warm-" + request.text("codec");
    for (long n = request.number("kafkaWarmUps"); n > 0; n--) clean(request.data(warmUp));
  }

  @Override
  public Sample round() throws Exception {
    return clean(dirty);
  }

  @Override
  public void close() {}

  private Sample clean(File from) throws Exception {
    LogCopies.copy(from, copy, settle);
    ManyLogs logs = ManyLogs.open(copy, 1, TOPIC);
    try {
      return measure(logs.only());
    } finally {
      logs.close();
      LogCopies.remove(copy);
    }
  }

  private Sample measure(UnifiedLog log) throws Exception {
    ProcessUse.resetPeak();
    long beforeKib = ProcessUse.residentKib();
    Cleaner cleaner = new Cleaner(0, new SkimpyOffsetMap(MAP_BYTES, "MD5"), IO_BUFFER_BYTES, MAX_MESSAGE_BYTES,
        LOAD_FACTOR, new Throttler(Double.MAX_VALUE, THROTTLE_CHECK_MS, "cleaner-io", "bytes", Time.SYSTEM),
        Time.SYSTEM, partition -> { });
    long cpu = ProcessUse.cpuNs();
    long[] callsBefore = ProcessUse.calls();
    long start = System.nanoTime();
    CleanerStats stats = cleaner.clean(new LogToClean(log, 0, log.activeSegment().baseOffset(), false)).getValue();
    double seconds = (System.nanoTime() - start) / NS_PER_SECOND;
    double cpuSeconds = (ProcessUse.cpuNs() - cpu) / NS_PER_SECOND;
    if (measured == Measured.MEMORY) return memory(beforeKib, stats);
    Sample sample = Sample.of(seconds, stats.messagesRead()).check(stats.messagesWritten())
        .extra("cpuSeconds", cpuSeconds).extra("mapSeconds", stats.elapsedIndexSecs())
        .extra("keys", cleaner.offsetMap().size()).extra("recordsWritten", stats.messagesWritten());
    return callsBefore == null ? sample : sample.calls(callsBefore, ProcessUse.calls());
  }

  /** What was not there before, with the map. */
  private static Sample memory(long beforeKib, CleanerStats stats) throws Exception {
    double mib = (ProcessUse.peakKib() - beforeKib) / KIB_PER_MIB;
    return Sample.of(mib, stats.messagesRead()).withoutCalls();
  }
}
