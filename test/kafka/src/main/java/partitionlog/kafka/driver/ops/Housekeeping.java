package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import partitionlog.kafka.driver.home.OneCleaner;
import partitionlog.kafka.driver.home.OneCleaner.Cleaned;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.time.StepScheduler;
import partitionlog.kafka.json.Json;

/** Retention and cleaning, once and now; when they come due by themselves is the business of `advance`. */
public final class Housekeeping {
  private Housekeeping() {}

  public static void addTo(Map<String, LogOperation> operations) {
    operations.put("retain", (open, request) -> retain(open));
    operations.put("clean", (open, request) -> clean(open));
  }

  /** LogManager.cleanupLogs; and for a log that is compacted too, the same by the cleaner, as a broker has it. */
  private static JsonNode retain(OpenLog open) throws Exception {
    open.scheduler().runNow(StepScheduler.RETENTION);
    open.cleaner().deleteOld();
    return NullNode.getInstance();
  }

  /** Kafka's rules say whether the log is dirty enough: `cleaned` is null where it is not. */
  private static JsonNode clean(OpenLog open) throws Exception {
    OneCleaner cleaner = open.cleaner();
    Optional<Cleaned> cleaned = cleaner.clean();
    ObjectNode result = Json.object();
    result.set("cleaned", cleaned.isPresent() ? told(cleaned.get()) : NullNode.getInstance());
    return result.put("deletedSegments", cleaner.deleteOld());
  }

  private static ObjectNode told(Cleaned cleaned) {
    return Json.object()
        .put("firstDirtyOffset", Json.int64(cleaned.firstDirtyOffset()))
        .put("firstUncleanableOffset", Json.int64(cleaned.firstUncleanableOffset()))
        .put("endOffset", Json.int64(cleaned.endOffset()))
        .put("recordsRead", cleaned.stats().messagesRead())
        .put("recordsWritten", cleaned.stats().messagesWritten());
  }
}
