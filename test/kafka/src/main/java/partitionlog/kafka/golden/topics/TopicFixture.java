package partitionlog.kafka.golden.topics;

import java.util.Map;
import partitionlog.kafka.broker.Cluster;

/** One topic of the golden log directory: its settings and how it gets its content. */
public interface TopicFixture {
  String name();

  default Map<String, String> settings() {
    return Map.of();
  }

  void write(Cluster cluster) throws Exception;

  /** Called after the broker was stopped cleanly and started again, which raises the leader epoch. */
  default void writeAfterRestart(Cluster cluster) throws Exception {}
}
