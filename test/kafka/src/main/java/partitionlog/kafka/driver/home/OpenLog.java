package partitionlog.kafka.driver.home;

import java.io.File;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.storage.internals.log.LogManager;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import partitionlog.kafka.driver.request.Request;
import partitionlog.kafka.driver.time.StepScheduler;

/**
 * The one log of a directory, made or loaded by LogManager, and what ReplicaManager and Partition do for it: the high
 * watermark's checkpoint, and its rise with the log's end where nothing replicates the log.
 */
public final class OpenLog {
  public static final TopicPartition PARTITION = new TopicPartition("log", 0);

  private final Home home;
  private final UnifiedLog log;
  private final boolean followsEnd;
  private OneCleaner cleaner;

  private OpenLog(Home home, UnifiedLog log, boolean followsEnd) {
    this.home = home;
    this.log = log;
    this.followsEnd = followsEnd;
  }

  /** LogManager.startup, then Partition.createLog. Where that is refused, nothing is left open or locked. */
  public static OpenLog open(Request request, BrokerTopicStats stats) throws Exception {
    boolean followsEnd = followsEnd(request.text("highWatermark"));
    Optional<Uuid> topicId = request.has("topicId")
        ? Optional.of(Uuid.fromString(request.text("topicId"))) : Optional.empty();
    File directory = new File(request.text("directory")).getAbsoluteFile();
    Settings settings = new Settings(request.at("config"));
    Home home = new Home(directory, settings, request.int64("nowMs"), stats);
    try {
      home.startup(PARTITION.topic());
      UnifiedLog log = home.manager().getOrCreateLog(PARTITION, topicId);
      log.updateHighWatermark(home.highWatermarks().read().getOrDefault(PARTITION, 0L));
      OpenLog open = new OpenLog(home, log, followsEnd);
      open.keepHighWatermark(settings.ms("replica.high.watermark.checkpoint.interval.ms"));
      return open;
    } catch (Exception refused) {
      home.manager().getLog(PARTITION).ifPresent(UnifiedLog::closeQuietly);
      home.abandon();
      throw refused;
    }
  }

  private static boolean followsEnd(String highWatermark) {
    return switch (highWatermark) {
      case "auto" -> true;
      case "manual" -> false;
      default -> throw new IllegalStateException("no such high watermark: " + highWatermark);
    };
  }

  public UnifiedLog log() {
    return log;
  }

  public LogManager manager() {
    return home.manager();
  }

  public StepScheduler scheduler() {
    return home.scheduler();
  }

  public long nowMs() {
    return home.time().milliseconds();
  }

  /** Made when first asked for: its map takes memory. */
  public OneCleaner cleaner() throws NoSuchAlgorithmException {
    if (cleaner == null) cleaner = new OneCleaner(manager().cleaner(), home.time());
    return cleaner;
  }

  /** As Partition.maybeIncrementLeaderHW for a leader that has no follower; then what the operation left to do. */
  public void settle() throws IOException {
    if (followsEnd) log.maybeIncrementHighWatermark(log.logEndOffsetMetadata());
    scheduler().runDue();
  }

  /** A broker's clean shutdown, as far as it concerns the log. */
  public void close() throws IOException {
    try {
      writeHighWatermark();
    } finally {
      home.shutdown();
      log.removeLogMetrics();
    }
  }

  /** As a process that was killed leaves it: nothing more is written, and no file is cut to its size. */
  public void abandon() throws IOException {
    home.abandon();
    log.closeQuietly();
    log.removeLogMetrics();
  }

  private void keepHighWatermark(long intervalMs) {
    scheduler().schedule(StepScheduler.HIGH_WATERMARK_CHECKPOINT, this::writeHighWatermark, 0, intervalMs);
  }

  /** ReplicaManager.checkpointHighWatermarks. */
  private void writeHighWatermark() {
    home.highWatermarks().write(Map.of(PARTITION, log.highWatermark()));
  }
}
