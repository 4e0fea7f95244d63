package partitionlog.kafka.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;

/** A client's view of the broker: makes topics, opens writers for their partitions, deletes records. Partition 0 unless told. */
public final class Cluster implements AutoCloseable {
  private final Broker broker;
  private final Admin admin;
  private final List<TopicWriter> left = new ArrayList<>();

  public Cluster(Broker broker) {
    this.broker = broker;
    admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  public Path logDir() {
    return broker.logDir();
  }

  public Admin admin() {
    return admin;
  }

  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  public void createTopic(String name, Map<String, String> settings) throws ExecutionException, InterruptedException {
    createTopic(name, 1, settings);
  }

  public void createTopic(String name, int partitions, Map<String, String> settings)
      throws ExecutionException, InterruptedException {
    NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
    admin.createTopics(Set.of(topic)).all().get();
  }

  public TopicWriter plainWriter(String topic) {
    return writer(topic, Map.of("enable.idempotence", false));
  }

  public TopicWriter idempotentWriter(String topic) {
    return writer(topic, Map.of());
  }

  public TopicWriter transactionalWriter(String topic, String transactionalId) {
    Map<String, Object> settings = Map.of("transactional.id", transactionalId, "transaction.timeout.ms", 600_000);
    return writer(topic, settings).initTransactions();
  }

  public TopicWriter writer(String topic, Map<String, Object> settings) {
    return writer(new TopicPartition(topic, 0), settings);
  }

  public TopicWriter writer(TopicPartition partition, Map<String, Object> settings) {
    return new TopicWriter(broker.bootstrapServers(), partition, settings, () -> logEndOffset(partition));
  }

  private long logEndOffset(TopicPartition partition) throws ExecutionException, InterruptedException {
    return admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
  }

  /** The writer is ended only after the broker, so that nothing is said to the broker about it. */
  public void leaveOpen(TopicWriter writer) {
    left.add(writer);
  }

  public void deleteRecordsBefore(String topic, long offset) throws ExecutionException, InterruptedException {
    deleteRecordsBefore(new TopicPartition(topic, 0), offset);
  }

  public void deleteRecordsBefore(TopicPartition partition, long offset)
      throws ExecutionException, InterruptedException {
    var request = Map.of(partition, RecordsToDelete.beforeOffset(offset));
    admin.deleteRecords(request).all().get();
  }

  /** Call when the broker has stopped. */
  @Override
  public void close() {
    left.forEach(TopicWriter::abandon);
    admin.close(Duration.ZERO);
  }
}
