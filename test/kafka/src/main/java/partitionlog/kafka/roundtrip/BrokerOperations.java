package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import partitionlog.kafka.broker.Broker;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** Starting and ending the broker. */
final class BrokerOperations {
  private final BrokerSession session;

  BrokerOperations(BrokerSession session) {
    this.session = session;
  }

  Map<String, JsonLines.Handler> byName() {
    return Map.of(
        "start", request -> start(),
        "stop", request -> stop(),
        "startSending", this::startSending,
        "killWhileSending", this::killWhileSending);
  }

  private JsonNode start() throws Exception {
    Broker broker = session.start();
    return Json.object()
        .put("pid", broker.pid())
        .put("logDir", broker.logDir().toString())
        .put("output", broker.output().toString());
  }

  private JsonNode stop() throws Exception {
    session.stop();
    return Json.object();
  }

  /** A producer without end for each of `partitions`, with the settings at the same place. */
  private JsonNode startSending(JsonNode request) {
    JsonNode settings = request.get("settings");
    for (int i = 0; i < settings.size(); i++) {
      TopicPartition partition = new TopicPartition(request.get("topic").asText(), i);
      session.senders().add(partition, RequestJson.settings(settings.get(i)));
    }
    return Json.object();
  }

  /** SIGKILL as soon as each producer has had `acknowledged` records acknowledged and has more under way. */
  private JsonNode killWhileSending(JsonNode request) throws Exception {
    session.senders().awaitAcknowledged(request.get("acknowledged").asInt());
    List<BackgroundSender> senders = session.senders().all();
    session.kill();
    ArrayNode partitions = Json.array();
    for (BackgroundSender sender : senders) partitions.add(sender.describe());
    return Json.object().set("partitions", partitions);
  }
}
