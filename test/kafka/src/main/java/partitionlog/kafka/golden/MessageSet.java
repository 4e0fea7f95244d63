package partitionlog.kafka.golden;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import partitionlog.kafka.broker.Entry;

/** Batches of any magic, one after another, as Kafka's builder makes them. Offsets go on from batch to batch. */
public final class MessageSet {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private TimestampType timestampType = TimestampType.CREATE_TIME;
  private long logAppendTime = -1;
  private long nextOffset;

  public MessageSet(long firstOffset) {
    nextOffset = firstOffset;
  }

  /** From here on every batch has the broker's time. */
  public MessageSet logAppendTime(long time) {
    timestampType = TimestampType.LOG_APPEND_TIME;
    logAppendTime = time;
    return this;
  }

  public MessageSet batch(byte magic, Compression codec, List<Entry> entries) {
    return batchWithGaps(magic, codec, 1, entries);
  }

  /** Each record's offset is `step` above the one before it. */
  public MessageSet batchWithGaps(byte magic, Compression codec, int step, List<Entry> entries) {
    ByteBuffer buffer = ByteBuffer.allocate(1024);
    try (MemoryRecordsBuilder builder =
        MemoryRecords.builder(buffer, magic, codec, timestampType, nextOffset, logAppendTime)) {
      for (Entry entry : entries) {
        builder.appendWithOffset(nextOffset, entry.timestamp(), entry.key(), entry.value(), entry.headers());
        nextOffset += step;
      }
      return add(builder.build().buffer());
    }
  }

  public byte[] toBytes() {
    return bytes.toByteArray();
  }

  private MessageSet add(ByteBuffer batch) {
    byte[] copy = new byte[batch.remaining()];
    batch.get(copy);
    bytes.writeBytes(copy);
    return this;
  }
}
