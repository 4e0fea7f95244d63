package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.json.BytesJson;
import partitionlog.kafka.json.Json;

/** Records as the test compares them, whether a producer sent them or a consumer was given them. */
final class RecordJson {
  private RecordJson() {}

  static ObjectNode of(long offset, Entry entry) {
    return of(offset, entry.timestamp(), entry.key(), entry.value(), Arrays.asList(entry.headers()));
  }

  /** Also with what only a consumer knows. */
  static ObjectNode of(ConsumerRecord<byte[], byte[]> record) {
    return of(record.offset(), record.timestamp(), record.key(), record.value(), record.headers())
        .put("timestampType", record.timestampType().toString())
        .put("leaderEpoch", record.leaderEpoch().orElse(-1));
  }

  private static ObjectNode of(long offset, long timestamp, byte[] key, byte[] value, Iterable<Header> headers) {
    ObjectNode node = Json.object().put("offset", Json.int64(offset)).put("timestamp", Json.int64(timestamp));
    node.set("key", BytesJson.of(key));
    node.set("value", BytesJson.of(value));
    ArrayNode list = node.putArray("headers");
    for (Header header : headers) list.add(headerNode(header));
    return node;
  }

  private static ObjectNode headerNode(Header header) {
    return Json.object().put("key", header.key()).set("value", BytesJson.of(header.value()));
  }
}
