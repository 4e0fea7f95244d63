package partitionlog.kafka.settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import partitionlog.kafka.json.Json;

/** What Kafka says of settings: their values as text, or why it does not take them. */
final class Judgement {
  private Judgement() {}

  /** Gives the values of settings that Kafka takes, and throws where it does not. */
  interface Settings {
    ObjectNode values();
  }

  static ObjectNode of(Settings settings) {
    try {
      return Json.object().set("values", settings.values());
    } catch (KafkaException | IllegalArgumentException | ArithmeticException refusal) {
      return Json.object().put("refused", String.valueOf(refusal.getMessage()));
    }
  }

  static ObjectNode texts(ConfigDef definitions, Map<String, ?> values) {
    ObjectNode texts = Json.object();
    for (ConfigKey key : definitions.configKeys().values()) {
      if (values.containsKey(key.name)) texts.put(key.name, ConfigDef.convertToString(values.get(key.name), key.type));
    }
    return texts;
  }
}
