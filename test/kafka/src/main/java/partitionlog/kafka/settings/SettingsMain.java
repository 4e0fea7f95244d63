package partitionlog.kafka.settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.storage.internals.log.LogConfig;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** Tells which settings Kafka has, and what it makes of given texts: {@code definitions}, {@code topic}, {@code broker}. */
public final class SettingsMain {
  private SettingsMain() {}

  public static void main(String[] arguments) throws IOException {
    JsonLines.serve(SettingsMain::answer);
  }

  private static JsonNode answer(JsonNode request) {
    String op = request.get("op").asText();
    return switch (op) {
      case "definitions" -> Json.object()
          .<ObjectNode>set("topic", definitions(LogConfig.configDefCopy()))
          .set("broker", definitions(KafkaConfig.configDef()));
      case "topic" -> Judgement.of(() -> TopicSettings.values(textsOf(request)));
      case "broker" -> Judgement.of(() -> BrokerProperties.values(textsOf(request)));
      default -> throw new IllegalArgumentException("no such operation: " + op);
    };
  }

  private static ArrayNode definitions(ConfigDef settings) {
    ArrayNode all = Json.array();
    for (ConfigKey key : settings.configKeys().values()) {
      all.addObject()
          .put("name", key.name)
          .put("type", key.type.toString())
          .put("fallback", key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null);
    }
    return all;
  }

  private static Map<String, String> textsOf(JsonNode request) {
    Map<String, String> texts = new HashMap<>();
    request.get("texts").properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
    return texts;
  }
}
