package partitionlog.kafka.golden.topics;

import partitionlog.kafka.broker.Cluster;

/** A log without a record. */
public final class EmptyTopic implements TopicFixture {
  @Override
  public String name() {
    return "empty";
  }

  @Override
  public void write(Cluster cluster) {}
}
