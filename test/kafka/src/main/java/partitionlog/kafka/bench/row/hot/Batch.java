package partitionlog.kafka.bench.row.hot;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * One batch as a client sends it, appended again and again. Kafka writes the offsets that it gives into the bytes, and
 * takes only a batch that begins at 0: that is put back before each append, eight bytes that no checksum covers.
 */
final class Batch {
  private static final int BASE_OFFSET_POSITION = 0;

  private final ByteBuffer bytes;
  private final MemoryRecords records;

  Batch(Shape shape) {
    records = shape.encode(ByteBuffer.allocate(shape.batchBytes()), Shape.TIMESTAMP, 0);
    bytes = records.buffer();
  }

  void append(UnifiedLog log) throws Exception {
    bytes.putLong(BASE_OFFSET_POSITION, 0);
    log.appendAsLeader(records, KafkaLog.EPOCH);
  }
}
