package partitionlog.kafka.golden.encode;

import static partitionlog.kafka.golden.encode.BatchHeader.PLAIN;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Header;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.golden.encode.RecordsCase.Placed;

/** Batches that differ in their records: keys, values, headers, sizes around a varint's steps, timestamps, offsets. */
final class RecordCases {
  static final long TIME = 1_700_000_000_000L;

  private RecordCases() {}

  static List<EncodeCase> all() {
    List<EncodeCase> cases = new ArrayList<>();
    addAbsentAndEmpty(cases);
    addHeaders(cases);
    addSizes(cases);
    addTimestamps(cases);
    addOffsets(cases);
    return cases;
  }

  private static void addAbsentAndEmpty(List<EncodeCase> cases) {
    cases.add(of("null-key-and-value", Entry.of(TIME, null, null)));
    cases.add(of("empty-key-and-value", Entry.of(TIME, "", "")));
    cases.add(of("null-key", Entry.of(TIME, null, "v")));
    cases.add(of("tombstone", Entry.of(TIME, "k", null)));
    cases.add(of("three-records", Entry.of(TIME, "a", "1"), Entry.of(TIME, "b", "2"), Entry.of(TIME, "c", "3")));
    cases.add(of("binary", new Entry(TIME, new byte[] {-1, 0, -128}, new byte[] {0x7f, 10, 13, -2})));
  }

  private static void addHeaders(List<EncodeCase> cases) {
    byte[] one = {1};
    cases.add(of("one-header", withHeaders(Entry.header("h", one))));
    cases.add(of("repeated-headers",
        withHeaders(Entry.header("b", one), Entry.header("a", new byte[] {2}), Entry.header("b", new byte[] {3}))));
    cases.add(of("null-and-empty-header-values", withHeaders(Entry.header("n", null), Entry.header("e", new byte[0]))));
    cases.add(of("empty-header-key", withHeaders(Entry.header("", one), Entry.header("", null))));
    cases.add(of("header-keys-not-ascii",
        withHeaders(Entry.header("\u00fc", one), Entry.header("\u65e5\u672c", one), Entry.header("\ud83d\ude00", one))));
    Header[] many = new Header[70];
    Arrays.setAll(many, i -> Entry.header("h" + i, new byte[] {(byte) i}));
    cases.add(of("seventy-headers", withHeaders(many)));
  }

  /** A varint takes one byte more from 64, 8,192 and 1,048,576 on; the record's own length steps with it. */
  private static void addSizes(List<EncodeCase> cases) {
    cases.add(of("article-example", IntStream.range(0, 10).mapToObj(i -> sized(8, 250)).toArray(Entry[]::new)));
    for (int size : new int[] {63, 64}) cases.add(of("key-of-" + size, sized(size, 0)));
    for (int size : new int[] {8191, 8192}) cases.add(of("value-of-" + size, sized(1, size)));
    for (int size : new int[] {55, 56, 57, 58}) cases.add(of("record-around-64-value-" + size, sized(1, size)));
  }

  /** A first timestamp below -1 is refused by Kafka's encoder; later ones can be anything, and deltas wrap around. */
  private static void addTimestamps(List<EncodeCase> cases) {
    cases.add(timed("timestamps-rising", TIME, TIME + 63, TIME + 64, TIME + 8192, TIME + (1L << 33)));
    cases.add(timed("timestamps-falling", TIME, TIME - 64, TIME - 65, TIME - 8193, 0));
    cases.add(timed("timestamp-zero", 0));
    cases.add(timed("timestamps-none", -1, -1));
    cases.add(timed("timestamps-none-and-some", -1, TIME, -1));
    cases.add(timed("timestamps-negative", -1, -5, -3, Long.MIN_VALUE));
    cases.add(timed("timestamp-max", Long.MAX_VALUE));
    cases.add(timed("timestamps-zero-to-max", 0, Long.MAX_VALUE));
    cases.add(timed("timestamps-zero-to-min", 0, Long.MIN_VALUE));
    cases.add(timed("timestamps-max-to-min", Long.MAX_VALUE, Long.MIN_VALUE, 1));
  }

  private static void addOffsets(List<EncodeCase> cases) {
    cases.add(placed("offsets-with-gaps", PLAIN, 0, 5, 63, 64, 8191, 8192));
    cases.add(placed("first-offset-missing", PLAIN.at(1000, 4), 3, 4));
    cases.add(placed("largest-offset-delta", PLAIN, 0, Integer.MAX_VALUE));
    cases.add(placed("largest-base-offset", PLAIN.at(Long.MAX_VALUE - 2, Integer.MAX_VALUE), 0, 1));
  }

  static RecordsCase of(String name, Entry... entries) {
    return of(name, PLAIN, entries);
  }

  static RecordsCase of(String name, BatchHeader header, Entry... entries) {
    List<Placed> records = new ArrayList<>();
    for (Entry entry : entries) records.add(new Placed(records.size(), entry));
    return new RecordsCase(name, header, records);
  }

  private static RecordsCase placed(String name, BatchHeader header, int... deltas) {
    List<Placed> records = Arrays.stream(deltas)
        .mapToObj(delta -> new Placed(delta, Entry.of(TIME, "k", Integer.toString(delta)))).toList();
    return new RecordsCase(name, header, records);
  }

  private static RecordsCase timed(String name, long... timestamps) {
    return of(name, Arrays.stream(timestamps).mapToObj(time -> Entry.of(time, "k", "v")).toArray(Entry[]::new));
  }

  private static Entry withHeaders(Header... headers) {
    return new Entry(TIME, Entry.bytes("k"), Entry.bytes("v"), headers);
  }

  private static Entry sized(int keyLength, int valueLength) {
    byte[] key = new byte[keyLength];
    byte[] value = new byte[valueLength];
    Arrays.fill(key, (byte) 'k');
    Arrays.fill(value, (byte) 'v');
    return new Entry(TIME, key, value);
  }
}
