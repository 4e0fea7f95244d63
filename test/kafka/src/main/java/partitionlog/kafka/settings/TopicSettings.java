package partitionlog.kafka.settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.storage.internals.log.LogConfig;

/** Settings of a topic as a controller judges them, in a cluster with tiered storage. */
final class TopicSettings {
  private static final boolean HAS_REMOTE_STORAGE = true;

  private TopicSettings() {}

  static ObjectNode values(Map<String, String> texts) {
    Map<String, Object> defaults = BrokerProperties.topicDefaults(Map.of());
    LogConfig.validate(Map.of(), texts, defaults, HAS_REMOTE_STORAGE);
    Properties overrides = new Properties();
    overrides.putAll(texts);
    LogConfig config = LogConfig.fromProps(withoutNulls(defaults), overrides);
    return Judgement.texts(LogConfig.configDefCopy(), config.values());
  }

  private static Map<String, Object> withoutNulls(Map<String, Object> settings) {
    Map<String, Object> given = new HashMap<>(settings);
    given.values().removeIf(value -> value == null);
    return given;
  }
}
