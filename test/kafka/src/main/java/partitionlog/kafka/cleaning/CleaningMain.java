package partitionlog.kafka.cleaning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import partitionlog.kafka.json.BytesJson;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** Tells what Kafka's copy leaves of batches once it is told which records stay. */
public final class CleaningMain {
  private static final int ROOM = 1 << 20;

  private CleaningMain() {}

  public static void main(String[] arguments) throws IOException {
    JsonLines.serve(CleaningMain::answer);
  }

  private static JsonNode answer(JsonNode request) throws IOException {
    MemoryRecords batches = MemoryRecords.readableRecords(ByteBuffer.wrap(request.get("batches").binaryValue()));
    ToldFilter filter =
        new ToldFilter(
            request.get("nowMs").longValue(),
            request.get("deleteRetentionMs").longValue(),
            offsets(request, "keep"),
            offsets(request, "empty"),
            offsets(request, "markersOfNothing"));
    ByteBuffer output =
        batches.filterTo(filter, ByteBuffer.allocate(ROOM), BufferSupplier.NO_CACHING, ROOM).outputBuffer().flip();
    ArrayNode left = Json.array();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(output).batches()) left.add(bytesOf(batch));
    return left;
  }

  private static JsonNode bytesOf(MutableRecordBatch batch) {
    ByteBufferOutputStream bytes = new ByteBufferOutputStream(ByteBuffer.allocate(batch.sizeInBytes()));
    batch.writeTo(bytes);
    return BytesJson.inFull(bytes.buffer().array());
  }

  private static Set<Long> offsets(JsonNode request, String field) {
    Set<Long> offsets = new HashSet<>();
    request.get(field).forEach(offset -> offsets.add(Long.parseLong(offset.textValue())));
    return offsets;
  }
}
