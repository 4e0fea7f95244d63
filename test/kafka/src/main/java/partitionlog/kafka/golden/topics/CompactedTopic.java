package partitionlog.kafka.golden.topics;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import partitionlog.kafka.broker.CleanerWatch;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/**
 * A log that the broker's cleaner has cleaned twice: gaps between offsets, tombstones with a delete horizon, emptied
 * transactions, and an emptied batch, kept as the last one of a producer that wrote nothing after it. Timestamps step by
 * more than `segment.ms` between phases and roll the segment; markers, which have the broker's time, do not.
 */
public final class CompactedTopic implements TopicFixture {
  private final long phase0 = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(2);
  private final long phase1 = phase0 + TimeUnit.HOURS.toMillis(4);
  private final long phase2 = phase1 + TimeUnit.HOURS.toMillis(4);
  private final long phase3 = phase2 + TimeUnit.HOURS.toMillis(4);

  @Override
  public String name() {
    return "compacted";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "cleanup.policy", "compact",
        "segment.ms", Long.toString(TimeUnit.HOURS.toMillis(3)),
        "min.cleanable.dirty.ratio", "0.0001",
        "file.delete.delay.ms", "0",
        "index.interval.bytes", "0");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    try (TopicWriter writer = cluster.idempotentWriter(name())) {
      writeFirstSegment(cluster, writer);
      writer.batch(Entry.of(phase1, "b", "b4"), Entry.of(phase1, "k", "k1"), Entry.of(phase1 + 1, "h", null));
      writer.batch(Entry.of(phase1 + 2, "k", "k2"));
      writer.batch(Entry.of(phase2, "a", "a4"), Entry.of(phase2 + 1, "m", "m1"));
      CleanerWatch.awaitCleaned(cluster.logDir(), name());
      writer.batch(Entry.of(phase2 + 2, "b", "b5"), Entry.of(phase2 + 3, "e", null));
      writer.batch(Entry.of(phase3, "z", "z1"), Entry.of(phase3, "z", "z2"));
      CleanerWatch.awaitCleaned(cluster.logDir(), name());
    }
  }

  private void writeFirstSegment(Cluster cluster, TopicWriter writer) throws Exception {
    writer.batch(entries("a1", "b1", "c1", "d1"));
    writer.batch(entries("a2", "b2"));
    writer.batch(Entry.of(phase0 + 1, "e", "e1"), Entry.of(phase0 + 2, "c", null));
    try (TopicWriter plain = cluster.plainWriter(name());
        TopicWriter silent = cluster.idempotentWriter(name());
        TopicWriter gzip = cluster.writer(name(), Map.of("compression.type", "gzip"))) {
      plain.batch(entries("f1", "f2", "f3", "g1"));
      silent.batch(entries("x1", "y1"));
      plain.batch(entries("x2", "y2", "f4"));
      gzip.batch(
          Entry.of(phase0 + 3, "a", "a3"), Entry.of(phase0 + 3, "h", "h1"), Entry.of(phase0 + 4, "g", null));
    }
    writeTransactions(cluster);
  }

  private void writeTransactions(Cluster cluster) throws Exception {
    try (TopicWriter writer = cluster.transactionalWriter(name(), "compacted")) {
      writer.begin();
      writer.batch(entries("t1", "u1", "v1"));
      writer.commit();
      writer.begin();
      writer.batch(entries("t2", "w1"));
      writer.abort();
      writer.begin();
      writer.batch(Entry.of(phase0 + 5, "u", null), Entry.of(phase0 + 5, "v", "v2"));
      writer.commit();
    }
    try (TopicWriter writer = cluster.transactionalWriter(name(), "superseded")) {
      writer.begin();
      writer.batch(entries("a9"));
      writer.commit();
    }
  }

  /** Of "a1" the key is "a" and the value "a1". */
  private Entry[] entries(String... values) {
    Entry[] entries = new Entry[values.length];
    for (int i = 0; i < values.length; i++) entries[i] = Entry.of(phase0, values[i].substring(0, 1), values[i]);
    return entries;
  }
}
