package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.request.Request;
import partitionlog.kafka.json.Json;

/** The end of a transaction, and what Kafka's ProducerStateManager remembers of each producer. */
public final class Producers {
  private static final short EPOCH_MAY_BE_EQUAL = 1;

  private Producers() {}

  public static void addTo(Map<String, LogOperation> operations) {
    operations.put("marker", Producers::marker);
    operations.put("producers", (open, request) -> producers(open));
  }

  /**
   * As a broker writes one for the coordinator, at the time that stands: appendAsLeader with that origin. From
   * `transactionVersion` 2 on, Kafka wants a marker's producer epoch above the producer's, and not only as high.
   */
  private static JsonNode marker(OpenLog open, Request request) throws Exception {
    ControlRecordType type = request.flag("commit") ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
    EndTransactionMarker marker = new EndTransactionMarker(type, request.int32("coordinatorEpoch"));
    MemoryRecords records = MemoryRecords.withEndTransactionMarker(
        open.nowMs(), request.int64("producerId"), request.int16("producerEpoch"), marker);
    int leaderEpoch = request.int32("leaderEpoch");
    short version = request.has("transactionVersion") ? request.int16("transactionVersion") : EPOCH_MAY_BE_EQUAL;
    return Appends.appended(open.log(), () -> open.log().appendAsLeader(records, leaderEpoch,
        AppendOrigin.COORDINATOR, RequestLocal.noCaching(), VerificationGuard.SENTINEL, version));
  }

  /** ProducerStateManager.activeProducers, in the order of their ids; the batches from the oldest kept on. */
  private static ArrayNode producers(OpenLog open) {
    List<ProducerStateEntry> entries = open.log().producerStateManager().activeProducers().values().stream()
        .sorted(Comparator.comparingLong(ProducerStateEntry::producerId)).toList();
    ArrayNode producers = Json.array();
    for (ProducerStateEntry entry : entries) producers.add(producer(entry));
    return producers;
  }

  private static ObjectNode producer(ProducerStateEntry entry) {
    OptionalLong transaction = entry.currentTxnFirstOffset();
    ObjectNode producer = Json.object()
        .put("producerId", Json.int64(entry.producerId()))
        .put("producerEpoch", entry.producerEpoch())
        .put("coordinatorEpoch", entry.coordinatorEpoch())
        .put("lastTimestamp", Json.int64(entry.lastTimestamp()))
        .put("currentTxnFirstOffset", transaction.isPresent() ? Json.int64(transaction.getAsLong()) : null);
    ArrayNode batches = producer.putArray("batches");
    for (BatchMetadata batch : entry.batchMetadata()) {
      batches.addObject()
          .put("firstSequence", batch.firstSeq())
          .put("lastSequence", batch.lastSeq())
          .put("firstOffset", Json.int64(batch.firstOffset()))
          .put("lastOffset", Json.int64(batch.lastOffset()))
          .put("timestamp", Json.int64(batch.timestamp()));
    }
    return producer;
  }
}
