package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** What a consumer of either isolation level (`read_uncommitted`, `read_committed`) is given. */
final class ReaderOperations {
  private final BrokerSession session;

  ReaderOperations(BrokerSession session) {
    this.session = session;
  }

  Map<String, JsonLines.Handler> byName() {
    return Map.of("read", this::read, "bounds", this::bounds, "offsetsForTimes", this::offsetsForTimes);
  }

  /** All records from `from` on; from the beginning where that is null. */
  private JsonNode read(JsonNode request) {
    JsonNode from = request.get("from");
    ArrayNode records = Json.array();
    for (ConsumerRecord<byte[], byte[]> record : reader(request).read(from.isNull() ? null : from.asLong())) {
      records.add(RecordJson.of(record));
    }
    return Json.object().set("records", records);
  }

  /** The log's start, and the end that this isolation level knows. */
  private JsonNode bounds(JsonNode request) {
    PartitionReader reader = reader(request);
    return Json.object().put("start", Json.int64(reader.start())).put("end", Json.int64(reader.end()));
  }

  /** For each time an offset with its timestamp, or null. */
  private JsonNode offsetsForTimes(JsonNode request) {
    PartitionReader reader = reader(request);
    ArrayNode found = Json.array();
    for (JsonNode time : request.get("times")) {
      OffsetAndTimestamp place = reader.offsetForTime(time.asLong());
      if (place == null) found.addNull();
      else found.addObject()
          .put("offset", Json.int64(place.offset()))
          .put("timestamp", Json.int64(place.timestamp()));
    }
    return Json.object().set("found", found);
  }

  private PartitionReader reader(JsonNode request) {
    return session.readers().of(request.get("isolation").asText(), RequestJson.partition(request));
  }
}
