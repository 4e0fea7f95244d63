package partitionlog.kafka.roundtrip;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/** One partition through a consumer that checks checksums, as consumers do unless told otherwise. */
final class PartitionReader {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicPartition partition;

  PartitionReader(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    this.consumer = consumer;
    this.partition = partition;
  }

  long start() {
    return consumer.beginningOffsets(Set.of(partition)).get(partition);
  }

  /** Of read_committed: the last stable offset. */
  long end() {
    return consumer.endOffsets(Set.of(partition)).get(partition);
  }

  /** Everything up to the end as it is now; from the start of the log where `from` is null. */
  List<ConsumerRecord<byte[], byte[]>> read(Long from) {
    consumer.assign(Set.of(partition));
    if (from == null) consumer.seekToBeginning(Set.of(partition));
    else consumer.seek(partition, from);
    long end = end();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    while (consumer.position(partition) < end) {
      if (System.nanoTime() > deadline) throw new IllegalStateException(partition + ": the end " + end + " is not reached");
      consumer.poll(POLL).forEach(records::add);
    }
    return records;
  }

  OffsetAndTimestamp offsetForTime(long timestamp) {
    return consumer.offsetsForTimes(Map.of(partition, timestamp)).get(partition);
  }
}
