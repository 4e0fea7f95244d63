package partitionlog.kafka.golden.encode;

import static partitionlog.kafka.golden.encode.BatchHeader.PLAIN;
import static partitionlog.kafka.golden.encode.RecordCases.TIME;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.broker.Entry;

/** Batches that differ in their header: producer, timestamp type, delete horizon, markers, emptied ones, codecs. */
final class HeaderCases {
  private static final Entry[] THREE = {
    Entry.of(TIME, "a", "1"), Entry.of(TIME + 7, "b", null), Entry.of(TIME + 3, null, "3")
  };

  private HeaderCases() {}

  static List<EncodeCase> all() {
    List<EncodeCase> cases = new ArrayList<>();
    addProducers(cases);
    addTimes(cases);
    addMarkers(cases);
    addEmptied(cases);
    addCodecs(cases);
    return cases;
  }

  private static void addProducers(List<EncodeCase> cases) {
    cases.add(RecordCases.of("producer-zero", PLAIN.producer(0, 0, 0), THREE));
    cases.add(RecordCases.of("producer-largest",
        PLAIN.producer(Long.MAX_VALUE, Short.MAX_VALUE, Integer.MAX_VALUE), THREE[0]));
    cases.add(RecordCases.of("sequence-wraps", PLAIN.producer(7, 1, Integer.MAX_VALUE - 1), THREE));
    cases.add(RecordCases.of("transactional", PLAIN.at(42, 5).producer(1234, 2, 10).transactional(), THREE));
  }

  private static void addTimes(List<EncodeCase> cases) {
    cases.add(RecordCases.of("log-append-time", PLAIN.at(10, 1).appendedAt(TIME + 1000), THREE));
    cases.add(RecordCases.of("log-append-time-earlier", PLAIN.appendedAt(5), THREE));
    cases.add(RecordCases.of("delete-horizon", PLAIN.at(10, 1).horizon(TIME + 86_400_000L), THREE));
    cases.add(RecordCases.of("delete-horizon-zero", PLAIN.horizon(0), THREE));
    cases.add(RecordCases.of("delete-horizon-log-append-time",
        PLAIN.appendedAt(TIME + 1000).horizon(TIME + 86_400_000L), THREE));
  }

  private static void addMarkers(List<EncodeCase> cases) {
    BatchHeader producer = markerHeader(99, 3, 1234, 7);
    cases.add(new MarkerCase("marker-commit", producer, TIME, ControlRecordType.COMMIT, 0));
    cases.add(new MarkerCase("marker-abort", producer, TIME, ControlRecordType.ABORT, 17));
    cases.add(new MarkerCase("marker-largest",
        markerHeader(Long.MAX_VALUE - 1, Integer.MAX_VALUE, Long.MAX_VALUE, Short.MAX_VALUE),
        Long.MAX_VALUE, ControlRecordType.COMMIT, Integer.MAX_VALUE));
    cases.add(new MarkerCase("marker-no-coordinator", markerHeader(0, -1, 0, 0), 0, ControlRecordType.ABORT, -1));
  }

  /** A marker's batch is transactional and has no sequence, whatever it is asked to be. */
  private static BatchHeader markerHeader(long offset, int leaderEpoch, long producerId, int producerEpoch) {
    BatchHeader header = PLAIN.at(offset, leaderEpoch);
    return header.producer(producerId, producerEpoch, RecordBatch.NO_SEQUENCE).transactional();
  }

  private static void addEmptied(List<EncodeCase> cases) {
    cases.add(new EmptiedCase("emptied", PLAIN.at(20, 3).producer(55, 1, 9), 24, TIME, false));
    cases.add(new EmptiedCase("emptied-transactional",
        PLAIN.at(30, 3).producer(55, 1, 14).transactional(), 30, TIME, false));
    cases.add(new EmptiedCase("emptied-marker", markerHeader(31, 3, 55, 2), 31, TIME, true));
    cases.add(new EmptiedCase("emptied-log-append-time",
        PLAIN.at(40, 0).appendedAt(TIME).producer(1, 0, 0), 41, TIME, false));
  }

  /** Compressed bytes may differ from encoder to encoder: these are compared decoded. */
  private static void addCodecs(List<EncodeCase> cases) {
    Entry[] records = {THREE[0], THREE[1], Entry.of(TIME + 9, "long", "the same again, ".repeat(60)), THREE[2]};
    addCodec(cases, Compression.gzip().build(), records);
    addCodec(cases, Compression.snappy().build(), records);
    addCodec(cases, Compression.lz4().build(), records);
    addCodec(cases, Compression.zstd().build(), records);
  }

  private static void addCodec(List<EncodeCase> cases, Compression codec, Entry[] records) {
    BatchHeader header = PLAIN.at(7, 2).producer(9, 0, 3).compressed(codec);
    cases.add(RecordCases.of("codec-" + codec.type().name, header, records));
  }
}
