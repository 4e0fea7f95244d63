package partitionlog.kafka.golden.topics;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/**
 * Transactions, committed and aborted, with other batches between them. Timestamps are near the present, since markers
 * have the broker's time: the step of four hours, and nothing else, is larger than `segment.ms` and rolls the segment.
 */
public final class TransactionsTopic implements TopicFixture {
  private final long early = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(2);
  private final long late = early + TimeUnit.HOURS.toMillis(4);

  @Override
  public String name() {
    return "txn";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("segment.ms", Long.toString(TimeUnit.HOURS.toMillis(3)), "index.interval.bytes", "0");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    try (TopicWriter plain = cluster.plainWriter(name());
        TopicWriter first = cluster.transactionalWriter(name(), "first");
        TopicWriter second = cluster.transactionalWriter(name(), "second")) {
      plain.batch(Entry.of(early, "plain", "before"));
      writeOneAfterAnother(first, second);
      writeInterleaved(plain, first, second);
      abortAcrossSegments(plain, first);
      first.begin();
      first.batch(Entry.of(late + 3, "first", "committed at the end"));
      first.commit();
    }
  }

  private void writeOneAfterAnother(TopicWriter first, TopicWriter second) throws Exception {
    first.begin();
    first.batch(Entry.of(early, "first", "committed 1"), Entry.of(early, "first", "committed 2"));
    first.batch(Entry.of(early, "first", "committed 3"));
    first.commit();
    second.begin();
    second.batch(Entry.of(early, "second", "aborted 1"), Entry.of(early, "second", null));
    second.abort();
  }

  private void writeInterleaved(TopicWriter plain, TopicWriter first, TopicWriter second) throws Exception {
    first.begin();
    second.begin();
    first.batch(Entry.of(early + 1, "first", "interleaved, committed"));
    second.batch(Entry.of(early + 1, "second", "interleaved, aborted"));
    first.batch(Entry.of(early + 1, "first", "interleaved, committed"));
    plain.batch(Entry.of(early + 1, "plain", "inside both"));
    second.batch(Entry.of(early + 1, "second", "interleaved, aborted"));
    second.abort();
    plain.batch(Entry.of(early + 1, "plain", "above the last stable offset"));
    first.commit();
  }

  private void abortAcrossSegments(TopicWriter plain, TopicWriter writer) throws Exception {
    writer.begin();
    writer.batch(Entry.of(early + 2, "first", "aborted, in the first segment"));
    plain.batch(Entry.of(late, "plain", "starts the second segment"));
    writer.batch(Entry.of(late + 1, "first", "aborted, in the second segment"));
    writer.abort();
    plain.batch(Entry.of(late + 2, "plain", "after"));
  }
}
