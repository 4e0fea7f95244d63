package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import partitionlog.kafka.json.Json;

/** The entries of a producer state snapshot as JSON, in the file's order. */
final class SnapshotDescriber {
  private SnapshotDescriber() {}

  static ArrayNode describe(Path file) throws IOException {
    ArrayNode json = Json.array();
    for (ProducerStateEntry entry : ProducerStateManager.readSnapshot(file.toFile())) json.add(describe(entry));
    return json;
  }

  private static ObjectNode describe(ProducerStateEntry entry) {
    ObjectNode json = Json.object()
        .put("producerId", Json.int64(entry.producerId()))
        .put("producerEpoch", entry.producerEpoch())
        .put("coordinatorEpoch", entry.coordinatorEpoch())
        .put("lastTimestamp", Json.int64(entry.lastTimestamp()));
    if (entry.currentTxnFirstOffset().isEmpty()) json.putNull("currentTxnFirstOffset");
    else json.put("currentTxnFirstOffset", Json.int64(entry.currentTxnFirstOffset().getAsLong()));
    ArrayNode batches = json.putArray("batches");
    for (BatchMetadata batch : entry.batchMetadata()) batches.add(describe(batch));
    return json;
  }

  private static ObjectNode describe(BatchMetadata batch) {
    return Json.object()
        .put("firstSequence", batch.firstSeq())
        .put("lastSequence", batch.lastSeq())
        .put("firstOffset", Json.int64(batch.firstOffset()))
        .put("lastOffset", Json.int64(batch.lastOffset()))
        .put("timestamp", Json.int64(batch.timestamp()));
  }
}
