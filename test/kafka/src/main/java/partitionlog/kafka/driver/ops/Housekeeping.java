package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.storage.internals.log.LogToClean;
import partitionlog.kafka.driver.home.OneCleaner;
import partitionlog.kafka.driver.home.OneCleaner.Cleaned;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.time.StepScheduler;
import partitionlog.kafka.json.Json;

/** Retention and cleaning, once and now; when they come due by themselves is the business of `advance`. */
public final class Housekeeping {
  /** Far more than a map of a few keys needs for the log of a script. */
  private static final int MOST_ROUNDS = 200;

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

  /**
   * As long as Kafka's rules say that the log is dirty enough: the rounds of a cleaner's thread until it would rest, each
   * with the retention behind it.
   */
  private static JsonNode clean(OpenLog open) throws Exception {
    OneCleaner cleaner = open.cleaner();
    ArrayNode rounds = Json.array();
    for (Optional<Cleaned> cleaned = round(cleaner); cleaned.isPresent(); cleaned = round(cleaner)) {
      rounds.add(told(cleaned.get()));
      if (rounds.size() > MOST_ROUNDS) throw new IllegalStateException("the cleaner does not come to an end: " + rounds);
    }
    return rounds;
  }

  private static Optional<Cleaned> round(OneCleaner cleaner) throws Exception {
    Optional<Cleaned> cleaned = cleaner.clean();
    cleaner.deleteOld();
    return cleaned;
  }

  private static ObjectNode told(Cleaned cleaned) {
    LogToClean chosen = cleaned.chosen();
    return Json.object()
        .put("firstDirtyOffset", Json.int64(chosen.firstDirtyOffset()))
        .put("firstUncleanableOffset", Json.int64(chosen.firstUncleanableOffset()))
        .put("endOffset", Json.int64(cleaned.endOffset()))
        .put("dirtyRatio", chosen.cleanableRatio())
        .put("cleanBytes", chosen.cleanBytes())
        .put("cleanableBytes", chosen.cleanableBytes())
        .put("recordsRead", cleaned.stats().messagesRead())
        .put("recordsWritten", cleaned.stats().messagesWritten())
        .put("bytesRead", cleaned.stats().bytesRead())
        .put("bytesWritten", cleaned.stats().bytesWritten());
  }
}
