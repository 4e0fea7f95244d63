package partitionlog.kafka.driver;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.OptionalLong;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.json.Json;

/** What Kafka says of its log: its offsets, its segments and its leader epochs. */
final class LogState {
  private LogState() {}

  static ObjectNode of(UnifiedLog log) throws IOException {
    ObjectNode state = Json.object()
        .put("logStartOffset", Json.int64(log.logStartOffset()))
        .put("highWatermark", Json.int64(log.highWatermark()))
        .put("lastStableOffset", Json.int64(log.lastStableOffset()))
        .put("recoveryPoint", Json.int64(log.recoveryPoint()))
        .put("logEndOffset", Json.int64(log.logEndOffset()));
    state.set("segments", segments(log));
    state.set("epochs", epochs(log));
    return state;
  }

  private static ArrayNode segments(UnifiedLog log) throws IOException {
    ArrayNode segments = Json.array();
    for (LogSegment segment : log.logSegments()) {
      segments.addObject()
          .put("baseOffset", Json.int64(segment.baseOffset()))
          .put("sizeInBytes", segment.size())
          .put("offsetIndexEntries", segment.offsetIndex().entries())
          .put("timeIndexEntries", segment.timeIndex().entries())
          .put("largestTimestamp", largestTimestamp(segment));
    }
    return segments;
  }

  /** Null where no record has a timestamp: Kafka then uses the file's own time. */
  private static String largestTimestamp(LogSegment segment) throws IOException {
    OptionalLong largest = segment.largestRecordTimestamp();
    return largest.isPresent() ? Json.int64(largest.getAsLong()) : null;
  }

  private static ArrayNode epochs(UnifiedLog log) {
    ArrayNode epochs = Json.array();
    for (EpochEntry entry : log.leaderEpochCache().epochEntries()) {
      epochs.addObject().put("epoch", entry.epoch()).put("startOffset", Json.int64(entry.startOffset()));
    }
    return epochs;
  }
}
