package partitionlog.kafka.driver.ops;

import static partitionlog.kafka.driver.home.OpenLog.PARTITION;

import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.home.Settings;
import partitionlog.kafka.driver.request.Request;

/** What moves the log's offsets and its files without appending. The result is null: the log's state tells it. */
public final class Changes {
  private Changes() {}

  private interface Change {
    void make(OpenLog open, Request request) throws Exception;
  }

  public static void addTo(Map<String, LogOperation> operations) {
    add(operations, "advance", (open, request) -> open.scheduler().advance(request.int64("ms")));
    add(operations, "roll", (open, request) -> open.log().roll());
    add(operations, "flush", (open, request) -> open.log().flush(request.flag("force")));
    add(operations, "highWatermark", (open, request) -> raise(open.log(), request.int64("offset")));
    add(operations, "deleteBefore", (open, request) -> deleteBefore(open.log(), request.int64("offset")));
    add(operations, "truncate", Changes::truncate);
    add(operations, "truncateFully", Changes::truncateFully);
    add(operations, "configure", Changes::configure);
  }

  private static void add(Map<String, LogOperation> operations, String name, Change change) {
    operations.put(name, (open, request) -> {
      change.make(open, request);
      return NullNode.getInstance();
    });
  }

  /** As Partition.maybeIncrementLeaderHW where that offset is what every replica has. */
  private static void raise(UnifiedLog log, long offset) throws IOException {
    log.maybeIncrementHighWatermark(log.maybeConvertToOffsetMetadata(offset));
  }

  /** Partition.deleteRecordsOnLeader. */
  private static void deleteBefore(UnifiedLog log, long offset) {
    if (!log.config().delete) {
      throw new PolicyViolationException("records can not be deleted due to the configured policy");
    }
    long before = offset == DeleteRecordsRequest.HIGH_WATERMARK ? log.highWatermark() : offset;
    if (before < 0) throw new OffsetOutOfRangeException("the offset " + before + " is not valid");
    log.maybeIncrementLogStartOffset(before, LogStartOffsetIncrementReason.ClientRecordDeletion);
  }

  /** LogManager.truncateTo, which writes the recovery point's checkpoint too. */
  private static void truncate(OpenLog open, Request request) {
    open.manager().truncateTo(Map.of(PARTITION, request.int64("offset")), false);
  }

  /** LogManager.truncateFullyAndStartAt. */
  private static void truncateFully(OpenLog open, Request request) {
    Optional<Long> logStartOffset = request.has("logStartOffset")
        ? Optional.of(request.int64("logStartOffset")) : Optional.empty();
    open.manager().truncateFullyAndStartAt(PARTITION, request.int64("offset"), false, logStartOffset);
  }

  /** LogManager.updateTopicConfig with all of the topic's settings; what a broker alone has stays as it was. */
  private static void configure(OpenLog open, Request request) {
    Properties topic = new Settings(request.at("config")).topic();
    open.manager().updateTopicConfig(PARTITION.topic(), topic, false, false);
  }
}
