package partitionlog.kafka.roundtrip;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import partitionlog.kafka.broker.Broker;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.TopicWriter;

/** A broker that starts and ends several times over one directory; each run has clients of its own. */
final class BrokerSession implements AutoCloseable {
  private final Path home;
  private final Map<String, TopicWriter> writers = new HashMap<>();
  private Broker broker;
  private Cluster cluster;
  private Readers readers;
  private BackgroundSenders senders;

  BrokerSession(Path home) {
    this.home = home;
  }

  Broker start() throws IOException, InterruptedException {
    if (broker == null) broker = new Broker(home);
    broker.start();
    cluster = new Cluster(broker);
    readers = new Readers(broker.bootstrapServers());
    senders = new BackgroundSenders(broker.bootstrapServers());
    return broker;
  }

  Cluster cluster() {
    return cluster;
  }

  Readers readers() {
    return readers;
  }

  BackgroundSenders senders() {
    return senders;
  }

  /** The writers of this run by the names that the test gave them. */
  Map<String, TopicWriter> writers() {
    return writers;
  }

  /** Writers that are still there are ended after the broker, so that their transactions stay open. */
  void stop() throws IOException, InterruptedException {
    broker.stop();
    dropClients();
  }

  void kill() throws IOException, InterruptedException {
    broker.kill();
    dropClients();
  }

  private void dropClients() {
    senders.abandon();
    writers.values().forEach(TopicWriter::abandon);
    writers.clear();
    readers.close();
    cluster.close();
  }

  @Override
  public void close() {
    if (broker != null) broker.close();
  }
}
