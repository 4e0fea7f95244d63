package partitionlog.kafka.golden.topics;

import java.util.List;
import java.util.Map;
import partitionlog.kafka.broker.Cluster;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.broker.TopicWriter;

/**
 * Batches of every codec. Beside small batches each codec has one whose text spans several blocks, and snappy and lz4,
 * which work in blocks of 32 KiB and 64 KiB, one whose bytes cannot be compressed.
 */
public final class CodecsTopic implements TopicFixture {
  private static final long TIME = 1_700_000_000_000L;
  private static final int SEVERAL_BLOCKS = 70_000;

  @Override
  public String name() {
    return "codecs";
  }

  @Override
  public void write(Cluster cluster) throws Exception {
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      try (TopicWriter writer = cluster.writer(name(), Map.of("compression.type", codec))) {
        writeSmall(writer, codec);
        if (!codec.equals("none")) writer.batch(large(codec, "text", Payload.text(3 * SEVERAL_BLOCKS)));
        if (worksInBlocks(codec)) writer.batch(large(codec, "random", Payload.random(SEVERAL_BLOCKS, 7)));
      }
    }
  }

  private static void writeSmall(TopicWriter writer, String codec) throws Exception {
    writer.batch(
        Entry.of(TIME, codec, "first"),
        Entry.of(TIME + 1, codec, "second second second second second second second second"),
        Entry.of(TIME + 2, null, "third"));
    writer.batch(
        new Entry(TIME + 3, Entry.bytes("random"), Payload.random(600, 1)),
        new Entry(TIME + 4, Entry.bytes("text"), Payload.text(2000)),
        new Entry(TIME + 5, Entry.bytes("tombstone"), null),
        new Entry(TIME + 6, null, Payload.random(40, 2), Entry.header("codec", Entry.bytes(codec))));
    writer.batch(Entry.of(TIME + 7, null, null));
  }

  private static Entry large(String codec, String key, byte[] value) {
    return new Entry(TIME + 8, Entry.bytes(codec + " " + key), value);
  }

  private static boolean worksInBlocks(String codec) {
    return codec.equals("snappy") || codec.equals("lz4");
  }
}
