package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.Record;
import partitionlog.kafka.json.BytesJson;
import partitionlog.kafka.json.Json;

/** One record, as Kafka's iterators hand it out, as JSON. */
final class RecordDescriber {
  private RecordDescriber() {}

  static ObjectNode describe(Record record, boolean isControl) {
    ObjectNode json = Json.object()
        .put("offset", Json.int64(record.offset()))
        .put("timestamp", Json.int64(record.timestamp()))
        .put("sequence", record.sequence());
    json.set("key", BytesJson.of(record.key()));
    json.set("value", BytesJson.of(record.value()));
    json.set("headers", headers(record.headers()));
    if (isControl) json.set("control", control(record));
    return json;
  }

  private static ArrayNode headers(Header[] headers) {
    ArrayNode json = Json.array();
    for (Header header : headers) {
      json.addObject().put("key", header.key()).set("value", BytesJson.of(header.value()));
    }
    return json;
  }

  /** Only the two transaction markers carry a coordinator epoch; KRaft's own control records have null. */
  private static ObjectNode control(Record record) {
    ControlRecordType type = ControlRecordType.parse(record.key());
    ObjectNode json = Json.object().put("type", type.name());
    boolean isMarker = type == ControlRecordType.COMMIT || type == ControlRecordType.ABORT;
    if (!isMarker) return json.putNull("coordinatorEpoch");
    return json.put("coordinatorEpoch", EndTransactionMarker.deserialize(record).coordinatorEpoch());
  }
}
