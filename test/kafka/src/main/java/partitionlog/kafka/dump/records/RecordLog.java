package partitionlog.kafka.dump.records;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A `.log` of a coordinator's topic: for each type of record and version of its value random ones and a tombstone. */
public final class RecordLog {
  private static final long TIME = 1_700_000_000_000L;
  private static final int OF_EACH = 12;
  private static final int IN_A_BATCH = 25;

  private final CoordinatorTopic topic;
  private final RandomMessage messages;

  public RecordLog(CoordinatorTopic topic, long seed) {
    this.topic = topic;
    this.messages = new RandomMessage(new Random(seed));
  }

  /** Writes the file from offset 0 on; gives the count of records. */
  public int write(Path file) throws IOException {
    List<SimpleRecord> records = new ArrayList<>();
    for (CoordinatorTopic.RecordType type : topic.types()) addAll(records, type);
    Files.write(file, batches(records));
    return records.size();
  }

  private void addAll(List<SimpleRecord> records, CoordinatorTopic.RecordType type) throws IOException {
    for (short version = type.lowestVersion(); version <= type.highestVersion(); version++) {
      for (int left = OF_EACH; left > 0; left--) records.add(new SimpleRecord(TIME, key(type), value(type, version)));
      records.add(new SimpleRecord(TIME, key(type), null));
    }
  }

  private byte[] key(CoordinatorTopic.RecordType type) throws IOException {
    var json = messages.of(type.message("Key"), (short) 0);
    return MessageUtil.toCoordinatorTypePrefixedBytes(topic.key(json, type));
  }

  private byte[] value(CoordinatorTopic.RecordType type, short version) throws IOException {
    var json = messages.of(type.message("Value"), version);
    return MessageUtil.toVersionPrefixedBytes(version, topic.value(json, type, version));
  }

  private static byte[] batches(List<SimpleRecord> records) {
    int sizeInBytes = 0;
    List<ByteBuffer> batches = new ArrayList<>();
    for (int first = 0; first < records.size(); first += IN_A_BATCH) {
      List<SimpleRecord> some = records.subList(first, Math.min(first + IN_A_BATCH, records.size()));
      ByteBuffer batch = MemoryRecords.withRecords(first, Compression.NONE, some.toArray(SimpleRecord[]::new)).buffer();
      batches.add(batch);
      sizeInBytes += batch.remaining();
    }
    ByteBuffer all = ByteBuffer.allocate(sizeInBytes);
    batches.forEach(all::put);
    return all.array();
  }
}
