package partitionlog.kafka.golden;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.golden.topics.TopicFixture;
import partitionlog.kafka.json.Json;

/** What clients see of each partition: its three offsets, and which records a consumer gets at either isolation level. */
final class PartitionsSeen {
  private final Cluster cluster;

  PartitionsSeen(Cluster cluster) {
    this.cluster = cluster;
  }

  ArrayNode describe(List<TopicFixture> fixtures) throws Exception {
    ArrayNode json = Json.array();
    for (TopicFixture fixture : fixtures) json.add(describe(fixture));
    return json;
  }

  private ObjectNode describe(TopicFixture fixture) throws Exception {
    TopicPartition partition = new TopicPartition(fixture.name(), 0);
    ObjectNode json = Json.object().put("partition", partition.toString());
    ObjectNode settings = json.putObject("settings");
    new TreeMap<>(fixture.settings()).forEach(settings::put);
    long lastStableOffset = offset(partition, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    long endOffset = offset(partition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    long startOffset = offset(partition, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    json.put("logStartOffset", Json.int64(startOffset));
    json.put("logEndOffset", Json.int64(endOffset));
    json.put("lastStableOffset", Json.int64(lastStableOffset));
    json.set("readUncommitted", consumed(partition, endOffset, "read_uncommitted"));
    json.set("readCommitted", consumed(partition, lastStableOffset, "read_committed"));
    return json;
  }

  private long offset(TopicPartition partition, OffsetSpec spec, IsolationLevel level)
      throws ExecutionException, InterruptedException {
    var options = new ListOffsetsOptions(level);
    return cluster.admin().listOffsets(Map.of(partition, spec), options).partitionResult(partition).get().offset();
  }

  /** Offsets of the records that a consumer is handed on its way to `end`. */
  private ArrayNode consumed(TopicPartition partition, long end, String isolationLevel) {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", cluster.bootstrapServers(),
        "isolation.level", isolationLevel,
        "auto.offset.reset", "earliest");
    ArrayNode offsets = Json.array();
    var deserializer = new ByteArrayDeserializer();
    try (var consumer = new KafkaConsumer<>(settings, deserializer, deserializer)) {
      consumer.assign(List.of(partition));
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> offsets.add(Json.int64(record.offset())));
      }
    }
    return offsets;
  }
}
