package partitionlog.kafka.roundtrip;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One consumer for each isolation level, made when it is first asked for and used for one partition after another. */
final class Readers implements AutoCloseable {
  /** A fetch at the end of a log is held for so long, and the next read waits for it. */
  private static final int FETCH_WAIT_MS = 2;

  private final String bootstrapServers;
  private final Map<String, KafkaConsumer<byte[], byte[]>> consumers = new HashMap<>();

  Readers(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  PartitionReader of(String isolation, TopicPartition partition) {
    return new PartitionReader(consumers.computeIfAbsent(isolation, this::consumer), partition);
  }

  private KafkaConsumer<byte[], byte[]> consumer(String isolation) {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", bootstrapServers,
        "isolation.level", isolation,
        "auto.offset.reset", "none",
        "enable.auto.commit", false,
        "allow.auto.create.topics", false,
        "fetch.max.wait.ms", FETCH_WAIT_MS);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    consumers.values().forEach(consumer -> consumer.close(Duration.ZERO));
    consumers.clear();
  }
}
