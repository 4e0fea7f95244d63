package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.apache.kafka.storage.internals.log.TimestampOffset;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import partitionlog.kafka.json.Json;

/** The entries of a segment's three index files as JSON, with absolute offsets. */
final class IndexDescriber {
  private static final int AS_LARGE_AS_THE_FILE = -1;

  private IndexDescriber() {}

  static ArrayNode describeOffsets(Path file, long baseOffset) throws IOException {
    ArrayNode json = Json.array();
    try (OffsetIndex index = new OffsetIndex(file.toFile(), baseOffset, AS_LARGE_AS_THE_FILE, false)) {
      index.sanityCheck();
      for (int i = 0; i < index.entries(); i++) {
        OffsetPosition entry = index.entry(i);
        json.addObject().put("offset", Json.int64(entry.offset())).put("position", entry.position());
      }
    }
    return json;
  }

  static ArrayNode describeTimes(Path file, long baseOffset) throws IOException {
    ArrayNode json = Json.array();
    try (TimeIndex index = new TimeIndex(file.toFile(), baseOffset, AS_LARGE_AS_THE_FILE, false)) {
      index.sanityCheck();
      for (int i = 0; i < index.entries(); i++) {
        TimestampOffset entry = index.entry(i);
        json.addObject()
            .put("timestamp", Json.int64(entry.timestamp()))
            .put("offset", Json.int64(entry.offset()));
      }
    }
    return json;
  }

  static ArrayNode describeAborted(Path file, long baseOffset) throws IOException {
    ArrayNode json = Json.array();
    try (TransactionIndex index = new TransactionIndex(baseOffset, file.toFile())) {
      index.sanityCheck();
      for (AbortedTxn aborted : index.allAbortedTxns()) {
        json.addObject()
            .put("producerId", Json.int64(aborted.producerId()))
            .put("firstOffset", Json.int64(aborted.firstOffset()))
            .put("lastOffset", Json.int64(aborted.lastOffset()))
            .put("lastStableOffset", Json.int64(aborted.lastStableOffset()));
      }
    }
    return json;
  }
}
