package partitionlog.kafka.golden;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import partitionlog.kafka.broker.Broker;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.golden.topics.CodecsTopic;
import partitionlog.kafka.golden.topics.CompactedTopic;
import partitionlog.kafka.golden.topics.DeletedTopic;
import partitionlog.kafka.golden.topics.EmptyTopic;
import partitionlog.kafka.golden.topics.LogAppendTimeTopic;
import partitionlog.kafka.golden.topics.OpenTransactionTopic;
import partitionlog.kafka.golden.topics.RecordsTopic;
import partitionlog.kafka.golden.topics.SegmentsTopic;
import partitionlog.kafka.golden.topics.TopicFixture;
import partitionlog.kafka.golden.topics.TransactionsTopic;

/**
 * Has a real broker write a log directory, restarts it once on the way, and copies what it left behind: the files of
 * the directory itself and the fixtures' partitions, not the broker's internal topics.
 */
final class BrokerDirectory {
  private final List<TopicFixture> fixtures = List.of(
      new CodecsTopic(), new RecordsTopic(), new LogAppendTimeTopic(), new TransactionsTopic(),
      new OpenTransactionTopic(), new SegmentsTopic(), new CompactedTopic(), new EmptyTopic(), new DeletedTopic());
  private final Path home;

  /** `home` is an empty folder for the broker to live in. */
  BrokerDirectory(Path home) {
    this.home = home;
  }

  /** Returns what clients saw of each partition before the last stop. */
  ArrayNode write(Path target) throws Exception {
    try (Broker broker = new Broker(home)) {
      writeFirst(broker);
      ArrayNode partitions = writeAfterRestart(broker);
      copy(broker.logDir(), target);
      return partitions;
    }
  }

  private void writeFirst(Broker broker) throws Exception {
    broker.start();
    try (Cluster cluster = new Cluster(broker)) {
      for (TopicFixture fixture : fixtures) {
        cluster.createTopic(fixture.name(), fixture.settings());
        fixture.write(cluster);
      }
      broker.stop();
    }
  }

  private ArrayNode writeAfterRestart(Broker broker) throws Exception {
    broker.start();
    try (Cluster cluster = new Cluster(broker)) {
      for (TopicFixture fixture : fixtures) fixture.writeAfterRestart(cluster);
      ArrayNode partitions = new PartitionsSeen(cluster).describe(fixtures);
      broker.stop();
      return partitions;
    }
  }

  private void copy(Path logDir, Path target) throws IOException {
    copyFiles(logDir, target);
    for (TopicFixture fixture : fixtures) {
      String partition = fixture.name() + "-0";
      copyFiles(logDir.resolve(partition), target.resolve(partition));
    }
  }

  private static void copyFiles(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    List<Path> files;
    try (Stream<Path> entries = Files.list(from)) {
      files = entries.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) Files.copy(file, to.resolve(file.getFileName()));
  }
}
