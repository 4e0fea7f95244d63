package partitionlog.kafka.golden.topics;

import java.util.List;
import java.util.Map;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/** Batches whose records all have the broker's time, whatever the producer said. */
public final class LogAppendTimeTopic implements TopicFixture {
  @Override
  public String name() {
    return "logappendtime";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("message.timestamp.type", "LogAppendTime", "index.interval.bytes", "0");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    for (String codec : List.of("none", "gzip")) {
      try (TopicWriter writer = cluster.writer(name(), Map.of("compression.type", codec))) {
        writer.batch(Entry.of(1, "a", "1"), Entry.of(1_700_000_000_000L, "b", "2"), Entry.of(5, "c", "3"));
        writer.batch(Entry.of(0, "d", null));
      }
    }
    try (TopicWriter writer = cluster.plainWriter(name())) {
      writer.batch(Entry.of(9, "e", "5"), Entry.of(8, "f", "6"));
    }
  }
}
