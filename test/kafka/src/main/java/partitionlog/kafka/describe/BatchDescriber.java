package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.json.Json;

/** One record batch (magic 2), or one legacy message with what is wrapped in it (magic 0 and 1), as JSON. */
final class BatchDescriber {
  private BatchDescriber() {}

  static ObjectNode describe(MutableRecordBatch batch, int position) {
    batch.ensureValid();
    ObjectNode json = Json.object().put("position", position);
    putExtent(json, batch);
    putProducer(json, batch);
    putKind(json, batch);
    putTimestamps(json, batch);
    json.put("crc", batch.checksum()).put("count", batch.countOrNull());
    putRecords(json, batch);
    return json;
  }

  private static void putExtent(ObjectNode json, RecordBatch batch) {
    json.put("sizeInBytes", batch.sizeInBytes())
        .put("magic", batch.magic())
        .put("baseOffset", Json.int64(batch.baseOffset()))
        .put("lastOffset", Json.int64(batch.lastOffset()));
  }

  private static void putProducer(ObjectNode json, RecordBatch batch) {
    json.put("baseSequence", batch.baseSequence())
        .put("lastSequence", batch.lastSequence())
        .put("producerId", Json.int64(batch.producerId()))
        .put("producerEpoch", batch.producerEpoch())
        .put("partitionLeaderEpoch", batch.partitionLeaderEpoch());
  }

  private static void putKind(ObjectNode json, RecordBatch batch) {
    json.put("codec", batch.compressionType().name)
        .put("isTransactional", batch.isTransactional())
        .put("isControl", batch.isControlBatch());
  }

  /** `baseTimestamp` is the header's raw field; where a delete horizon is set it is that horizon. */
  private static void putTimestamps(ObjectNode json, RecordBatch batch) {
    json.put("timestampType", batch.timestampType().name)
        .put("maxTimestamp", Json.int64(batch.maxTimestamp()));
    if (batch instanceof DefaultRecordBatch v2) json.put("baseTimestamp", Json.int64(v2.baseTimestamp()));
    else json.putNull("baseTimestamp");
    if (batch.deleteHorizonMs().isEmpty()) json.putNull("deleteHorizonMs");
    else json.put("deleteHorizonMs", Json.int64(batch.deleteHorizonMs().getAsLong()));
  }

  private static void putRecords(ObjectNode json, RecordBatch batch) {
    var records = json.putArray("records");
    for (Record record : batch) records.add(RecordDescriber.describe(record, batch.isControlBatch()));
  }
}
