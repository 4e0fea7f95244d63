package partitionlog.kafka.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.util.Map;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.CleanerStats;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.utils.Throttler;
import partitionlog.kafka.json.Json;

/** One cleaning of the one log of a directory, from its start to its active segment, with a broker's defaults. */
final class CleanLoad {
  private static final Map<String, String> TOPIC = Map.of("cleanup.policy", "compact", "compression.type", "producer");
  /** A broker of one cleaner thread: half of log.cleaner.io.buffer.size to read into, half to write from. */
  private static final int IO_BUFFER_BYTES = 524_288 / 2;
  private static final int MAX_MESSAGE_BYTES = 1_048_588;
  private static final double LOAD_FACTOR = 0.9;
  private static final long THROTTLE_CHECK_MS = 300;
  private static final double NS_PER_MS = 1e6;

  private CleanLoad() {}

  static JsonNode measure(File directory) throws Exception {
    ManyLogs logs = ManyLogs.open(directory, 1, TOPIC);
    try {
      return measure(logs.only());
    } finally {
      logs.close();
    }
  }

  private static JsonNode measure(UnifiedLog log) throws Exception {
    ProcessUse.resetPeak();
    long beforeKib = ProcessUse.residentKib();
    Cleaner cleaner = new Cleaner(0, new SkimpyOffsetMap(MapFill.MAP_BYTES, "MD5"), IO_BUFFER_BYTES, MAX_MESSAGE_BYTES,
        LOAD_FACTOR, new Throttler(Double.MAX_VALUE, THROTTLE_CHECK_MS, "cleaner-io", "bytes", Time.SYSTEM), Time.SYSTEM,
        partition -> { });
    long cpu = ProcessUse.cpuNs();
    long start = System.nanoTime();
    CleanerStats stats = cleaner.clean(new LogToClean(log, 0, log.activeSegment().baseOffset(), false)).getValue();
    long end = System.nanoTime();
    return Json.object().put("ms", (end - start) / NS_PER_MS).put("mapMs", stats.elapsedIndexSecs() * 1e3)
        .put("cpuMs", (ProcessUse.cpuNs() - cpu) / NS_PER_MS).put("keys", cleaner.offsetMap().size())
        .put("recordsRead", stats.messagesRead()).put("recordsWritten", stats.messagesWritten())
        .put("bytesRead", stats.bytesRead()).put("bytesWritten", stats.bytesWritten()).put("beforeKib", beforeKib)
        .put("peakKib", ProcessUse.peakKib());
  }
}
