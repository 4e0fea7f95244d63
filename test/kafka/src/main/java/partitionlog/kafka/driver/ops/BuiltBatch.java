package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.driver.request.Request;

/** A request's records as one batch of today's format at base offset 0, as a producer sends it. */
final class BuiltBatch {
  private static final int FIRST_BUFFER = 4096;
  private static final long AT_ZERO = 0;

  private BuiltBatch() {}

  /** What Kafka's builder makes of no record is nothing. */
  static MemoryRecords of(Request request) throws IOException {
    try (MemoryRecordsBuilder builder = builder(request)) {
      for (JsonNode json : request.at("records")) {
        Request record = new Request(json);
        builder.append(record.int64("timestamp"), record.bytes("key"), record.bytes("value"), headers(record));
      }
      return builder.build();
    }
  }

  private static MemoryRecordsBuilder builder(Request request) {
    Compression codec = Compression.of(request.text("codec")).build();
    ByteBuffer buffer = ByteBuffer.allocate(FIRST_BUFFER);
    if (!request.has("producer")) {
      return MemoryRecords.builder(buffer, codec, TimestampType.CREATE_TIME, AT_ZERO);
    }
    Request producer = request.in("producer");
    return MemoryRecords.builder(buffer, RecordBatch.CURRENT_MAGIC_VALUE, codec, TimestampType.CREATE_TIME, AT_ZERO,
        RecordBatch.NO_TIMESTAMP, producer.int64("id"), producer.int16("epoch"),
        producer.int32("baseSequence"), producer.flag("transactional"), RecordBatch.NO_PARTITION_LEADER_EPOCH);
  }

  private static Header[] headers(Request record) throws IOException {
    List<Header> headers = new ArrayList<>();
    if (!record.has("headers")) return new Header[0];
    for (JsonNode json : record.at("headers")) {
      Request header = new Request(json);
      headers.add(new RecordHeader(header.text("key"), header.bytes("value")));
    }
    return headers.toArray(new Header[0]);
  }
}
