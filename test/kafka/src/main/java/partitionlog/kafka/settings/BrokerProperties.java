package partitionlog.kafka.settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import partitionlog.kafka.json.Json;

/** A broker's properties as it reads them at its start. Nothing is opened or listened to. */
final class BrokerProperties {
  private static final Map<String, String> LEAST = Map.of(
      "process.roles", "broker",
      "node.id", "1",
      "controller.quorum.voters", "2@localhost:9093",
      "controller.listener.names", "CONTROLLER",
      "listeners", "PLAINTEXT://localhost:9092");

  private BrokerProperties() {}

  /** The broker's own values, and those of a topic that has none of its own. */
  static ObjectNode values(Map<String, String> texts) {
    KafkaConfig config = parse(texts);
    ObjectNode own = Judgement.texts(KafkaConfig.configDef(), config.values());
    LogConfig ofTopics = new LogConfig(topicDefaults(texts));
    return Json.object()
        .<ObjectNode>set("own", own)
        .set("topics", Judgement.texts(LogConfig.configDefCopy(), ofTopics.values()));
  }

  static Map<String, Object> topicDefaults(Map<String, String> texts) {
    Map<String, Object> defaults = parse(texts).extractLogConfigMap();
    LogConfig.validateBrokerLogConfigValues(defaults, false);
    return defaults;
  }

  private static KafkaConfig parse(Map<String, String> texts) {
    Map<String, String> all = new HashMap<>(LEAST);
    all.putAll(texts);
    Properties properties = new Properties();
    properties.putAll(all);
    return KafkaConfig.fromProps(properties, false);
  }
}
