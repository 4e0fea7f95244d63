package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import partitionlog.kafka.broker.CleanerWatch;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** Topics as an administrator handles them. */
final class TopicOperations {
  private final BrokerSession session;

  TopicOperations(BrokerSession session) {
    this.session = session;
  }

  Map<String, JsonLines.Handler> byName() {
    return Map.of(
        "createTopic", this::create, "deleteRecords", this::deleteRecords, "awaitCleaned", this::awaitCleaned);
  }

  private JsonNode create(JsonNode request) throws Exception {
    Map<String, String> settings = new HashMap<>();
    RequestJson.settings(request.get("settings")).forEach((name, value) -> settings.put(name, value.toString()));
    session.cluster().createTopic(request.get("topic").asText(), request.get("partitions").asInt(), settings);
    return Json.object();
  }

  private JsonNode deleteRecords(JsonNode request) throws Exception {
    session.cluster().deleteRecordsBefore(RequestJson.partition(request), request.get("before").asLong());
    return Json.object();
  }

  private JsonNode awaitCleaned(JsonNode request) throws Exception {
    TopicPartition partition = RequestJson.partition(request);
    CleanerWatch.awaitCleaned(session.cluster().logDir(), partition.topic(), partition.partition());
    return Json.object();
  }
}
