package partitionlog.kafka.driver.home;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;

/**
 * A request's settings under Kafka's dotted names: those of a topic, which become the topic's own, and those of a
 * broker that LogManager needs. A name that is neither is a fault of the test; a value that Kafka refuses is a refusal.
 */
public final class Settings {
  /** Kafka's defaults, but for the threads that load and the memory that cleans. */
  private static final Map<String, Number> BROKER_DEFAULTS = Map.ofEntries(
      Map.entry("log.retention.check.interval.ms", 300_000L),
      Map.entry("log.flush.scheduler.interval.ms", Long.MAX_VALUE),
      Map.entry("log.flush.offset.checkpoint.interval.ms", 60_000L),
      Map.entry("log.flush.start.offset.checkpoint.interval.ms", 60_000L),
      Map.entry("replica.high.watermark.checkpoint.interval.ms", 5_000L),
      Map.entry("log.initial.task.delay.ms", 30_000L),
      Map.entry("num.recovery.threads.per.data.dir", 1L),
      Map.entry("transaction.max.timeout.ms", 900_000L),
      Map.entry("producer.id.expiration.ms", 86_400_000L),
      Map.entry("producer.id.expiration.check.interval.ms", 600_000L),
      Map.entry("log.cleaner.dedupe.buffer.size", 4_194_304L),
      Map.entry("log.cleaner.io.buffer.size", 524_288L),
      Map.entry("log.cleaner.io.buffer.load.factor", 0.9));
  private static final int CLEANER_MAX_MESSAGE_BYTES = 1_048_588;

  private final Properties topic = new Properties();
  private final Map<String, Number> broker = new HashMap<>(BROKER_DEFAULTS);

  public Settings(JsonNode config) {
    config.fields().forEachRemaining(entry -> put(entry.getKey(), entry.getValue().textValue()));
    Map<String, String> texts = new HashMap<>();
    topic.forEach((name, value) -> texts.put((String) name, (String) value));
    LogConfig.validate(texts);
  }

  private void put(String name, String value) {
    if (value == null) throw new IllegalStateException("the value of " + name + " is no text");
    if (LogConfig.configNames().contains(name)) topic.put(name, value);
    else if (broker.get(name) instanceof Long) broker.put(name, Long.valueOf(value));
    else if (broker.get(name) instanceof Double) broker.put(name, Double.valueOf(value));
    else throw new IllegalStateException("no setting " + name);
  }

  public Properties topic() {
    return topic;
  }

  long ms(String name) {
    return broker.get(name).longValue();
  }

  int int32(String name) {
    return Math.toIntExact(broker.get(name).longValue());
  }

  /** No thread: the cleaner is there so that truncation and retention speak with it, and cleans only when told to. */
  CleanerConfig cleaner() {
    return new CleanerConfig(0, ms("log.cleaner.dedupe.buffer.size"),
        broker.get("log.cleaner.io.buffer.load.factor").doubleValue(), int32("log.cleaner.io.buffer.size"),
        CLEANER_MAX_MESSAGE_BYTES, Double.MAX_VALUE, CleanerConfig.LOG_CLEANER_BACKOFF_MS, true);
  }

  /** Transactions are not verified with their coordinator: there is none. */
  ProducerStateManagerConfig producers() {
    return new ProducerStateManagerConfig(int32("producer.id.expiration.ms"), false);
  }
}
