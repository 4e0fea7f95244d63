package partitionlog.kafka.bench.row.hot;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

/** What a batch holds, and its bytes as a client sends them; the same as bench/data/shapes.mjs. */
record Shape(int records, byte[] key, byte[] value) {
  /** Of the record at offset 0. */
  static final long TIMESTAMP = 1_700_000_000_000L;
  private static final int SPARE_BYTES = 32;
  private static final int BATCH_HEADER_BYTES = 61;

  static Shape of(String id) {
    return id.endsWith("-300") ? new Shape(2, filled(13, 'k'), filled(100, 'v')) : plain(37, 100);
  }

  /** Values without keys. */
  static Shape plain(int records, int valueBytes) {
    return new Shape(records, null, filled(valueBytes, 'v'));
  }

  /** One batch at base offset 0; `firstOffset` says its timestamps. */
  MemoryRecords batch(long firstOffset) {
    return encode(ByteBuffer.allocate(batchBytes()), TIMESTAMP + firstOffset, 1);
  }

  /** One batch into `buffer`; timestamps rise by `step`. */
  MemoryRecords encode(ByteBuffer buffer, long timestamp, int step) {
    try (MemoryRecordsBuilder builder = MemoryRecords.builder(buffer, Compression.NONE, TimestampType.CREATE_TIME, 0)) {
      for (int n = 0; n < records; n++) builder.append(timestamp + (long) n * step, key, value);
      return builder.build();
    }
  }

  /** At most. */
  int batchBytes() {
    return BATCH_HEADER_BYTES + records * (SPARE_BYTES + (key == null ? 0 : key.length) + value.length);
  }

  private static byte[] filled(int length, char with) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }
}
