package partitionlog.kafka.driver.home;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.metadata.ConfigRepository;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.apache.kafka.server.util.FileLock;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogCleaner;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogManager;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import partitionlog.kafka.driver.time.StandingTime;
import partitionlog.kafka.driver.time.StepScheduler;

/** Kafka's LogManager over one directory, with its time, its tasks and a checkpoint. It holds the directory's lock. */
final class Home {
  private static final String HIGH_WATERMARK_FILE = "replication-offset-checkpoint";
  private static final long NO_BROKER_EPOCH = -1;
  private static final KafkaMetricsGroup METRICS = new KafkaMetricsGroup("kafka.log", "LogManager");
  private static final List<String> GAUGES = List.of("OfflineLogDirectoryCount", "CordonedLogDirectoryCount");
  private static final List<String> DIRECTORY_GAUGES = List.of("LogDirectoryOffline", "LogDirectoryCordoned");

  private final File directory;
  private final LogDirFailureChannel failures = new LogDirFailureChannel(1);
  private final StandingTime time;
  private final StepScheduler scheduler;
  private final OffsetCheckpointFile highWatermarks;
  private final LogManager manager;

  Home(File directory, Settings settings, long nowMs, BrokerTopicStats stats) throws IOException {
    this.directory = directory;
    time = new StandingTime(nowMs);
    scheduler = new StepScheduler(time);
    highWatermarks = new OffsetCheckpointFile(new File(directory, HIGH_WATERMARK_FILE), failures);
    manager = new LogManager(List.of(directory), List.of(), repository(settings.topic()), new LogConfig(Map.of()),
        settings.cleaner(), settings.int32("num.recovery.threads.per.data.dir"),
        settings.ms("log.flush.scheduler.interval.ms"), settings.ms("log.flush.offset.checkpoint.interval.ms"),
        settings.ms("log.flush.start.offset.checkpoint.interval.ms"), settings.ms("log.retention.check.interval.ms"),
        settings.int32("transaction.max.timeout.ms"), settings.producers(),
        settings.int32("producer.id.expiration.check.interval.ms"), scheduler, stats, failures, time, false,
        settings.ms("log.initial.task.delay.ms"), LogCleaner::new);
  }

  StandingTime time() {
    return time;
  }

  StepScheduler scheduler() {
    return scheduler;
  }

  OffsetCheckpointFile highWatermarks() {
    return highWatermarks;
  }

  LogManager manager() {
    return manager;
  }

  /** Loads what is there. A broker goes on without a directory that it cannot read; here that is a refusal. */
  void startup(String topic) throws Exception {
    manager.startup(Set.of(topic));
    if (failures.hasOfflineLogDir(directory.getPath())) {
      throw new KafkaStorageException("the directory went offline while its log was loaded");
    }
  }

  /** In the order of a broker's shutdown: the tasks first. */
  void shutdown() throws IOException {
    scheduler.shutdown();
    try {
      manager.shutdown(NO_BROKER_EPOCH);
    } finally {
      forget();
    }
  }

  /** Writes and deletes nothing; only the lock goes, which a killed process cannot keep. */
  void abandon() throws IOException {
    scheduler.shutdown();
    if (manager.cleaner() != null) manager.cleaner().removeMetrics();
    forget();
    for (FileLock lock : manager.dirLocks()) lock.unlockAndClose();
  }

  /** The gauges that LogManager does not take back, which would keep it and its logs in memory. */
  private void forget() {
    for (String gauge : GAUGES) METRICS.removeMetric(gauge);
    for (String gauge : DIRECTORY_GAUGES) METRICS.removeMetric(gauge, Map.of("logDirectory", directory.getPath()));
  }

  private static ConfigRepository repository(Properties topic) {
    return resource -> resource.type() == ConfigResource.Type.TOPIC ? topic : new Properties();
  }
}
