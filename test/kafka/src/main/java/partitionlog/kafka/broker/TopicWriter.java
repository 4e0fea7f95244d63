package partitionlog.kafka.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A KafkaProducer for one partition that writes each list of entries as exactly one batch. */
public final class TopicWriter implements AutoCloseable {
  /** Asks the broker for the log end offset. */
  interface LogEnd {
    long offset() throws ExecutionException, InterruptedException;
  }

  private static final long PAUSE_MS = 5;

  private final TopicPartition partition;
  private final LogEnd logEnd;
  private final KafkaProducer<byte[], byte[]> producer;

  TopicWriter(String bootstrapServers, TopicPartition partition, Map<String, Object> settings, LogEnd logEnd) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", bootstrapServers);
    all.put("batch.size", 900_000);
    all.put("linger.ms", 60_000);
    this.partition = partition;
    this.logEnd = logEnd;
    producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  public List<Long> batch(Entry... entries) throws ExecutionException, InterruptedException {
    return batch(List.of(entries));
  }

  /** Returns the offsets when the broker has the batch; flushing ends the producer's long wait for more records. */
  public List<Long> batch(List<Entry> entries) throws ExecutionException, InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (Entry entry : entries) sent.add(producer.send(toRecord(entry)));
    producer.flush();
    List<Long> offsets = new ArrayList<>();
    for (Future<RecordMetadata> one : sent) offsets.add(one.get().offset());
    return offsets;
  }

  /** Needs the setting `transactional.id`. */
  public TopicWriter initTransactions() {
    producer.initTransactions();
    return this;
  }

  public void begin() {
    producer.beginTransaction();
  }

  public void commit() throws ExecutionException, InterruptedException {
    end(producer::commitTransaction);
  }

  public void abort() throws ExecutionException, InterruptedException {
    end(producer::abortTransaction);
  }

  /** The broker answers before it has written the marker: waiting for it makes the log the same in every run. */
  private void end(Runnable decision) throws ExecutionException, InterruptedException {
    long before = logEnd.offset();
    decision.run();
    while (logEnd.offset() == before) Thread.sleep(PAUSE_MS);
  }

  @Override
  public void close() {
    producer.close();
  }

  /** Ends at once: an open transaction stays open on the broker. */
  public void abandon() {
    producer.close(Duration.ZERO);
  }

  private ProducerRecord<byte[], byte[]> toRecord(Entry entry) {
    return new ProducerRecord<>(
        partition.topic(), partition.partition(),
        entry.timestamp(), entry.key(), entry.value(), List.of(entry.headers()));
  }
}
