package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.json.Json;

/** Sends numbered records to one partition in a thread of its own and notes which the broker acknowledged. */
final class BackgroundSender {
  private static final long TIME = 1_700_000_000_000L;
  private static final int PAYLOAD = 150;
  private static final int MOST_UNDER_WAY = 500;
  private static final long PATIENCE_SECONDS = 60;

  private final TopicPartition partition;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Semaphore room = new Semaphore(MOST_UNDER_WAY);
  private final List<ObjectNode> acknowledged = new ArrayList<>();
  private final Thread thread = new Thread(this::send, "sender");
  private volatile boolean ended;
  private int sent;

  BackgroundSender(String bootstrapServers, TopicPartition partition, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", bootstrapServers);
    all.put("batch.size", 2_000);
    this.partition = partition;
    thread.setDaemon(true);
    producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  void start() {
    thread.start();
  }

  /** Blocks, also until a record beyond them is under way. */
  synchronized void awaitAcknowledged(int records) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (acknowledged.size() < records || sent == acknowledged.size()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) throw new IllegalStateException(partition + " acknowledges no " + records + " records");
      wait(left);
    }
  }

  /** Ends at once; what is under way stays without an answer. */
  void abandon() {
    ended = true;
    producer.close(Duration.ZERO);
    thread.interrupt();
  }

  synchronized ObjectNode describe() {
    ArrayNode records = Json.array();
    acknowledged.forEach(records::add);
    return Json.object().put("partition", partition.partition()).put("sent", sent).set("acknowledged", records);
  }

  private void send() {
    try {
      while (!ended) {
        room.acquire();
        sendNext();
      }
    } catch (InterruptedException | KafkaException | IllegalStateException closed) {
      if (!ended) throw new IllegalStateException("the sender of " + partition + " ended by itself", closed);
    }
  }

  private void sendNext() {
    Entry entry = next();
    producer.send(
        new ProducerRecord<>(partition.topic(), partition.partition(), entry.timestamp(), entry.key(), entry.value()),
        (metadata, problem) -> {
          room.release();
          if (problem == null) acknowledge(entry, metadata.offset());
        });
  }

  private synchronized Entry next() {
    int number = sent++;
    notifyAll();
    return Entry.of(TIME + number, "key " + number % 100, "record " + number + " " + "x".repeat(PAYLOAD));
  }

  private synchronized void acknowledge(Entry entry, long offset) {
    acknowledged.add(RecordJson.of(offset, entry));
    notifyAll();
  }
}
