package partitionlog.kafka.golden.topics;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/** What a record can look like: absent and empty parts, headers, bytes that are no text, and timestamps. */
public final class RecordsTopic implements TopicFixture {
  private static final long TIME = 1_700_000_000_000L;
  private static final long YEAR_9999 = 253_402_300_799_999L;
  private static final byte[] NOT_UTF8 = {(byte) 0xff, (byte) 0xfe, 0, (byte) 0x80, (byte) 0xc3, 0x28, 10, 13};

  @Override
  public String name() {
    return "records";
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("segment.ms", Long.toString(Long.MAX_VALUE), "index.interval.bytes", "0");
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    try (TopicWriter writer = cluster.plainWriter(name())) {
      writer.batch(absentAndEmpty());
      writer.batch(headers());
      writer.batch(binary());
      writeTimestamps(writer);
    }
    try (TopicWriter writer = cluster.idempotentWriter(name())) {
      writer.batch(absentAndEmpty());
      writer.batch(headers());
    }
  }

  private static List<Entry> absentAndEmpty() {
    return List.of(
        Entry.of(TIME, null, "null key"),
        Entry.of(TIME, "", "empty key"),
        Entry.of(TIME, "null value", null),
        Entry.of(TIME, "empty value", ""),
        Entry.of(TIME, null, null),
        Entry.of(TIME, "", ""),
        Entry.of(TIME, null, ""),
        Entry.of(TIME, "", null));
  }

  private static List<Entry> headers() {
    byte[] one = Entry.bytes("1");
    return List.of(
        Entry.of(TIME, "none", "v"),
        new Entry(TIME, Entry.bytes("one"), one, Entry.header("a", one)),
        new Entry(TIME, Entry.bytes("repeated"), one,
            Entry.header("b", one), Entry.header("a", Entry.bytes("2")), Entry.header("b", Entry.bytes("3"))),
        new Entry(TIME, Entry.bytes("null value"), one, Entry.header("a", null)),
        new Entry(TIME, Entry.bytes("empty value"), one, Entry.header("a", new byte[0])),
        new Entry(TIME, Entry.bytes("empty key"), one, Entry.header("", one), Entry.header("", null)),
        new Entry(TIME, Entry.bytes("not ASCII"), one,
            Entry.header("\u00fcber", one), Entry.header("\u65e5\u672c", one), Entry.header("\ud83d\ude00", one)),
        new Entry(TIME, Entry.bytes("looks like a dump"), Entry.bytes("x\nbaseOffset: 1"),
            Entry.header("a,b:c]", Entry.bytes("\n| offset: 0"))),
        new Entry(TIME, null, null, Entry.header("binary", NOT_UTF8)));
  }

  private static List<Entry> binary() {
    return List.of(
        new Entry(TIME, NOT_UTF8, NOT_UTF8),
        new Entry(TIME, Payload.random(127, 3), Payload.random(128, 4)),
        new Entry(TIME, Payload.random(63, 5), Payload.random(64, 6)),
        new Entry(TIME, new byte[] {0}, Payload.random(8192, 7)));
  }

  private static void writeTimestamps(TopicWriter writer) throws Exception {
    writer.batch(timed(TIME, TIME, TIME));
    writer.batch(timed(TIME, TIME + 1, TIME + 64, TIME + 8192));
    writer.batch(timed(TIME + 9, TIME + 8, TIME - 8192, TIME));
    writer.batch(timed(0, 0, 1));
    writer.batch(timed(TIME, 0, YEAR_9999, TIME));
    writer.batch(timed(YEAR_9999));
    writer.batch(timed(0, Long.MAX_VALUE));
    writer.batch(timed(Long.MAX_VALUE, 0, Long.MAX_VALUE - 1));
  }

  private static List<Entry> timed(long... timestamps) {
    return Arrays.stream(timestamps)
        .mapToObj(timestamp -> Entry.of(timestamp, "at", Long.toString(timestamp)))
        .toList();
  }
}
