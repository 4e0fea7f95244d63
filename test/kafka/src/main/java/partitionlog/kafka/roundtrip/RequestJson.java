package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import partitionlog.kafka.broker.Entry;

/** Parts that several requests have. 64-bit numbers are strings of digits, bytes are base64 or null. */
final class RequestJson {
  private RequestJson() {}

  static TopicPartition partition(JsonNode request) {
    return new TopicPartition(request.get("topic").asText(), request.get("partition").asInt());
  }

  static Map<String, Object> settings(JsonNode node) {
    Map<String, Object> settings = new HashMap<>();
    node.properties().forEach(field -> settings.put(field.getKey(), field.getValue().asText()));
    return settings;
  }

  static List<Entry> entries(JsonNode nodes) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (JsonNode node : nodes) entries.add(entry(node));
    return entries;
  }

  private static Entry entry(JsonNode node) throws IOException {
    List<Header> headers = new ArrayList<>();
    for (JsonNode header : node.get("headers")) {
      headers.add(Entry.header(header.get("key").asText(), bytes(header.get("value"))));
    }
    return new Entry(
        node.get("timestamp").asLong(), bytes(node.get("key")), bytes(node.get("value")), headers.toArray(Header[]::new));
  }

  private static byte[] bytes(JsonNode node) throws IOException {
    return node.isNull() ? null : node.binaryValue();
  }
}
