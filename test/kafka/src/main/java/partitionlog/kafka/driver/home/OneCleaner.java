package partitionlog.kafka.driver.home;

import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.CleanerStats;
import org.apache.kafka.storage.internals.log.LogCleaner;
import org.apache.kafka.storage.internals.log.LogCleanerManager;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.PreCleanStats;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * One round of a cleaner's thread, LogCleaner.CleanerThread.cleanFilthiestLog, without the thread: Kafka's manager
 * decides what is to be cleaned, Kafka's cleaner does it.
 */
public final class OneCleaner {
  private static final int BUFFERS = 2;

  private final LogCleanerManager manager;
  private final Cleaner cleaner;
  private final Time time;

  /** The log as it was chosen, the end, where the next round begins, and the stats of what was read and written. */
  public record Cleaned(LogToClean chosen, long endOffset, CleanerStats stats) {}

  OneCleaner(LogCleaner logCleaner, Time time) throws NoSuchAlgorithmException {
    CleanerConfig config = logCleaner.currentConfig();
    this.time = time;
    manager = logCleaner.cleanerManager();
    cleaner = new Cleaner(0, new SkimpyOffsetMap((int) config.dedupeBufferSize, config.hashAlgorithm()),
        config.ioBufferSize / BUFFERS, config.maxMessageSize, config.dedupeBufferLoadFactor,
        logCleaner.throttler(), time, manager::checkCleaningAborted);
  }

  /** Nothing where no log is dirty enough. A log that could not be cleaned is marked, and the cause thrown. */
  public Optional<Cleaned> clean() throws Exception {
    Optional<LogToClean> dirty = manager.grabFilthiestCompactedLog(time, new PreCleanStats());
    return dirty.isEmpty() ? Optional.empty() : Optional.of(clean(dirty.get()));
  }

  private Cleaned clean(LogToClean dirty) throws Exception {
    long endOffset = dirty.firstDirtyOffset();
    try {
      Map.Entry<Long, CleanerStats> cleaned = cleaner.clean(dirty);
      endOffset = cleaned.getKey();
      return new Cleaned(dirty, endOffset, cleaned.getValue());
    } catch (Exception failed) {
      manager.markPartitionUncleanable(dirty.log().parentDir(), dirty.topicPartition());
      throw failed;
    } finally {
      manager.doneCleaning(dirty.topicPartition(), dirty.log().parentDirFile(), endOffset);
    }
  }

  /** How many segments went by the retention of logs that are compacted too: the cleaner's work, not LogManager's. */
  public int deleteOld() throws Exception {
    Map<TopicPartition, UnifiedLog> logs = manager.deletableLogs();
    int deleted = 0;
    try {
      for (UnifiedLog log : logs.values()) deleted += log.deleteOldSegments();
    } finally {
      manager.doneDeleting(logs.keySet().stream().toList());
    }
    return deleted;
  }
}
