package partitionlog.kafka.bench.row;

import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogCleaner;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** A broker's LogManager over one directory of many logs, with a broker's defaults, real time and real threads. */
final class ManyLogs {
  private static final int SCHEDULER_THREADS = 10;
  private static final int CHECKPOINT_INTERVAL_MS = 60_000;
  private static final int RETENTION_CHECK_INTERVAL_MS = 300_000;
  private static final int TRANSACTION_MAX_TIMEOUT_MS = 900_000;
  private static final int PRODUCER_EXPIRATION_MS = 86_400_000;
  private static final int PRODUCER_EXPIRATION_CHECK_MS = 600_000;
  private static final int INITIAL_TASK_DELAY_MS = 30_000;
  private static final long DEDUPE_BUFFER_BYTES = 4_194_304;
  private static final int IO_BUFFER_BYTES = 524_288;
  private static final int MAX_MESSAGE_BYTES = 1_048_588;
  private static final double LOAD_FACTOR = 0.9;
  private static final long NO_BROKER_EPOCH = -1;

  private final KafkaScheduler scheduler = new KafkaScheduler(SCHEDULER_THREADS);
  private final LogManager manager;

  private ManyLogs(File directory, int threads, Map<String, String> topic) throws IOException {
    LogDirFailureChannel failures = new LogDirFailureChannel(1);
    manager = new LogManager(List.of(directory), List.of(), resource -> new Properties(), new LogConfig(topic),
        noCleanerThreads(), threads, Long.MAX_VALUE, CHECKPOINT_INTERVAL_MS, CHECKPOINT_INTERVAL_MS,
        RETENTION_CHECK_INTERVAL_MS, TRANSACTION_MAX_TIMEOUT_MS,
        new ProducerStateManagerConfig(PRODUCER_EXPIRATION_MS, false), PRODUCER_EXPIRATION_CHECK_MS, scheduler,
        new BrokerTopicStats(), failures, Time.SYSTEM, false, INITIAL_TASK_DELAY_MS, LogCleaner::new);
  }

  /** All logs are open on return, with a topic's defaults. */
  static ManyLogs open(File directory, int threads) throws Exception {
    return open(directory, threads, Map.of());
  }

  /** All logs are open on return, with these settings. */
  static ManyLogs open(File directory, int threads, Map<String, String> topic) throws Exception {
    ManyLogs opened = new ManyLogs(directory, threads, topic);
    opened.scheduler.startup();
    opened.manager.startup(Set.of());
    return opened;
  }

  UnifiedLog only() {
    Iterator<UnifiedLog> logs = manager.allLogs().iterator();
    UnifiedLog log = logs.next();
    if (logs.hasNext()) throw new IllegalStateException("more than one log");
    return log;
  }

  int size() {
    return manager.allLogs().size();
  }

  /** In the order of a broker's shutdown: the tasks first. */
  void close() throws Exception {
    scheduler.shutdown();
    manager.shutdown(NO_BROKER_EPOCH);
  }

  private static CleanerConfig noCleanerThreads() {
    return new CleanerConfig(0, DEDUPE_BUFFER_BYTES, LOAD_FACTOR, IO_BUFFER_BYTES, MAX_MESSAGE_BYTES,
        Double.MAX_VALUE, CleanerConfig.LOG_CLEANER_BACKOFF_MS, true);
  }
}
