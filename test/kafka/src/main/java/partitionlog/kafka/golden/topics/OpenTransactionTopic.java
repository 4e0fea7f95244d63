package partitionlog.kafka.golden.topics;

import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/** A transaction that is still open when the broker stops: the last stable offset is below the end. */
public final class OpenTransactionTopic implements TopicFixture {
  @Override
  public String name() {
    return "opentxn";
  }

  @Override
  public void write(Cluster cluster) {}

  @Override
  public void writeAfterRestart(Cluster cluster) throws Exception {
    long now = System.currentTimeMillis();
    TopicWriter writer = cluster.transactionalWriter(name(), "open");
    cluster.leaveOpen(writer);
    writer.begin();
    writer.batch(Entry.of(now, "open", "committed"));
    writer.commit();
    writer.begin();
    writer.batch(Entry.of(now, "open", "undecided 1"), Entry.of(now + 1, "open", "undecided 2"));
    try (TopicWriter plain = cluster.plainWriter(name())) {
      plain.batch(Entry.of(now, "plain", "above the last stable offset"));
    }
  }
}
