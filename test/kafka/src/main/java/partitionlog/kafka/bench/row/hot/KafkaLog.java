package partitionlog.kafka.bench.row.hot;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** One UnifiedLog on real time and a real scheduler, with a broker's defaults; or one LogSegment alone. */
final class KafkaLog {
  static final int EPOCH = 0;
  private static final String NAME = "bench-0";
  private static final int SCHEDULER_THREADS = 10;
  private static final int TRANSACTION_MAX_TIMEOUT_MS = 900_000;
  private static final int PRODUCER_EXPIRATION_MS = 86_400_000;
  private static final int PRODUCER_EXPIRATION_CHECK_MS = 600_000;

  private final KafkaScheduler scheduler = new KafkaScheduler(SCHEDULER_THREADS);
  private final File directory;
  private final UnifiedLog log;

  private KafkaLog(File directory, Map<String, String> settings) throws IOException {
    this.directory = directory;
    scheduler.startup();
    log = UnifiedLog.create(directory, config(settings), 0, 0, scheduler, new BrokerTopicStats(), Time.SYSTEM,
        TRANSACTION_MAX_TIMEOUT_MS, new ProducerStateManagerConfig(PRODUCER_EXPIRATION_MS, false),
        PRODUCER_EXPIRATION_CHECK_MS, new LogDirFailureChannel(1), true, Optional.empty());
  }

  /** A new log below `home`, with settings besides a topic's defaults. */
  static KafkaLog create(File home, Map<String, String> settings) throws IOException {
    File directory = new File(home, NAME);
    Files.createDirectory(directory.toPath());
    return new KafkaLog(directory, settings);
  }

  /** The log of a data set, in a copy of its own below `home`. */
  static KafkaLog openCopy(File home, File dataSet) throws IOException {
    return new KafkaLog(copy(home, dataSet), Map.of());
  }

  /** The first segment of the log of a data set, in a copy of its own below `home`. */
  static LogSegment openSegment(File home, File dataSet) throws IOException {
    return LogSegment.open(copy(home, dataSet), 0, config(Map.of()), Time.SYSTEM, true, 0, false, "");
  }

  UnifiedLog log() {
    return log;
  }

  void close() throws Exception {
    scheduler.shutdown();
    log.close();
    log.removeLogMetrics();
  }

  /** Closes it and removes its files. */
  void remove() throws Exception {
    close();
    try (Stream<Path> files = Files.walk(directory.toPath())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }

  private static LogConfig config(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("retention.ms", "-1");
    return new LogConfig(all);
  }

  /** `.log` files are links, for nobody appends to them. */
  private static File copy(File home, File dataSet) throws IOException {
    Path to = Files.createDirectory(home.toPath().resolve(NAME));
    try (Stream<Path> files = Files.list(dataSet.toPath().resolve(NAME))) {
      for (Path file : files.toList()) {
        Path target = to.resolve(file.getFileName());
        if (file.toString().endsWith(".log")) Files.createLink(target, file);
        else Files.copy(file, target);
      }
    }
    return to.toFile();
  }
}
