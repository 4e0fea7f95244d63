package partitionlog.kafka.golden.topics;

import java.util.Map;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/**
 * Several segments, rolled because their time index of 400 bytes is full, with producer snapshots. Every batch is large
 * enough for an index entry. After the restart the leader epoch is one more.
 */
public final class SegmentsTopic implements TopicFixture {
  private static final long TIME = 1_700_000_000_000L;
  private static final int RECORDS_IN_A_BATCH = 3;

  @Override
  public String name() {
    return "segments";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("segment.index.bytes", "400", "index.interval.bytes", "100");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    writeBatches(cluster, 0, 110);
  }

  @Override
  public void writeAfterRestart(Cluster cluster) throws Exception {
    writeBatches(cluster, 110, 125);
  }

  private void writeBatches(Cluster cluster, int from, int to) throws Exception {
    try (TopicWriter writer = cluster.idempotentWriter(name())) {
      for (int batch = from; batch < to; batch++) writer.batch(entries(batch));
    }
  }

  private static Entry[] entries(int batch) {
    Entry[] entries = new Entry[RECORDS_IN_A_BATCH];
    for (int i = 0; i < entries.length; i++) {
      String value = "record " + i + " of batch " + batch;
      entries[i] = Entry.of(TIME + batch * 1000L + i, "key " + (batch + i) % 10, value);
    }
    return entries;
  }
}
