package partitionlog.kafka.golden.topics;

import java.util.Map;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/** Records deleted up to the middle of the second batch, so that the log starts above its first segment's base. */
public final class DeletedTopic implements TopicFixture {
  private static final long TIME = 1_700_000_000_000L;
  private static final int RECORDS_IN_A_BATCH = 5;
  private static final long LOG_START_OFFSET = 7;

  @Override
  public String name() {
    return "deleted";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("index.interval.bytes", "0");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    try (TopicWriter writer = cluster.idempotentWriter(name())) {
      for (int batch = 0; batch < 3; batch++) writer.batch(entries(batch));
    }
    cluster.deleteRecordsBefore(name(), LOG_START_OFFSET);
  }

  private static Entry[] entries(int batch) {
    Entry[] entries = new Entry[RECORDS_IN_A_BATCH];
    for (int i = 0; i < entries.length; i++) entries[i] = Entry.of(TIME + batch, "k", "batch " + batch);
    return entries;
  }
}
