package partitionlog.kafka.golden.legacy;

import static org.apache.kafka.common.record.internal.RecordBatch.MAGIC_VALUE_V0;
import static org.apache.kafka.common.record.internal.RecordBatch.MAGIC_VALUE_V1;
import static org.apache.kafka.common.record.internal.RecordBatch.MAGIC_VALUE_V2;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.golden.LogFiles;
import partitionlog.kafka.golden.MessageSet;

/** Logs of magic 0 and 1, which no broker of today writes; each is a partition folder with nothing but its `.log`. */
public final class LegacyLogs {
  private static final long TIME = 1_400_000_000_000L;
  private static final List<Compression> CODECS = List.of(
      Compression.NONE, Compression.gzip().build(), Compression.snappy().build(), Compression.lz4().build());

  private final Path folder;

  public LegacyLogs(Path folder) {
    this.folder = folder;
  }

  public void write() throws IOException {
    for (Compression codec : CODECS) {
      writePlain(MAGIC_VALUE_V0, codec);
      writePlain(MAGIC_VALUE_V1, codec);
      writeAppendTime(codec);
    }
    writeMixed();
    writeGaps(MAGIC_VALUE_V0);
    writeGaps(MAGIC_VALUE_V1);
  }

  /** Three batches; for the compressed ones the last has a value that no codec makes smaller. */
  private void writePlain(byte magic, Compression codec) throws IOException {
    MessageSet set = new MessageSet(100)
        .batch(magic, codec, absentAndEmpty(magic))
        .batch(magic, codec, List.of(entry(magic, 20, "one", "alone")))
        .batch(magic, codec, List.of(entry(magic, 10, "text", "abcdefgh".repeat(100)), random(magic, codec)));
    write("magic" + magic + "-" + codec.type().name, 100, set);
  }

  private void writeAppendTime(Compression codec) throws IOException {
    MessageSet set = new MessageSet(0).logAppendTime(TIME + 500)
        .batch(MAGIC_VALUE_V1, codec, absentAndEmpty(MAGIC_VALUE_V1))
        .batch(MAGIC_VALUE_V1, codec, List.of(entry(MAGIC_VALUE_V1, 700, "k", "v")));
    write("appendtime-" + codec.type().name, 0, set);
  }

  /** An upgraded log: each format follows the older one. */
  private void writeMixed() throws IOException {
    MessageSet set = new MessageSet(0);
    for (byte magic : new byte[] {MAGIC_VALUE_V0, MAGIC_VALUE_V1, MAGIC_VALUE_V2}) {
      set.batch(magic, Compression.NONE, List.of(entry(magic, magic, "k", "plain"), entry(magic, magic, "t", null)));
      set.batch(magic, Compression.gzip().build(), absentAndEmpty(magic));
    }
    write("mixed", 0, set);
  }

  /** What compaction leaves behind: offsets inside a wrapper, and from message to message, that are not consecutive. */
  private void writeGaps(byte magic) throws IOException {
    MessageSet set = new MessageSet(0);
    for (Compression codec : CODECS) set.batchWithGaps(magic, codec, 3, absentAndEmpty(magic));
    write("gaps-magic" + magic, 0, set);
  }

  private void write(String topic, long baseOffset, MessageSet set) throws IOException {
    LogFiles.write(LogFiles.file(folder, topic, baseOffset, "log"), set.toBytes());
  }

  private static List<Entry> absentAndEmpty(byte magic) {
    return List.of(
        entry(magic, 3, "key", "value"),
        entry(magic, 2, null, "null key"),
        entry(magic, 2, "", "empty key"),
        entry(magic, 9, "null value", null),
        entry(magic, 1, "empty value", ""),
        entry(magic, 0, null, null));
  }

  private static Entry random(byte magic, Compression codec) {
    byte[] value = new byte[codec.type().name.equals("lz4") ? 66_000 : 200];
    new Random(11).nextBytes(value);
    return new Entry(timestamp(magic, 4), null, value);
  }

  private static Entry entry(byte magic, long time, String key, String value) {
    return Entry.of(timestamp(magic, time), key, value);
  }

  /** Magic 0 has no timestamps. */
  private static long timestamp(byte magic, long time) {
    return magic == MAGIC_VALUE_V0 ? RecordBatch.NO_TIMESTAMP : TIME + time;
  }
}
