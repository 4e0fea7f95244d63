package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import partitionlog.kafka.json.Json;

/**
 * All batches of a `.log` file as JSON. Positions come from Kafka's file reader, everything else from its memory
 * reader, which alone shows the base timestamp; that both see the same batches is checked.
 */
final class LogDescriber {
  private LogDescriber() {}

  static ArrayNode describe(Path file) throws IOException {
    ArrayNode json = Json.array();
    MemoryRecords inMemory = MemoryRecords.readableRecords(ByteBuffer.wrap(Files.readAllBytes(file)));
    Iterator<MutableRecordBatch> batches = inMemory.batches().iterator();
    try (FileRecords onDisk = FileRecords.open(file.toFile(), false)) {
      for (FileChannelRecordBatch located : onDisk.batches()) {
        json.add(describeSame(located, batches.next(), file));
      }
    }
    if (batches.hasNext()) throw new IllegalStateException("the file reader stopped early: " + file);
    return json;
  }

  private static ObjectNode describeSame(
      FileChannelRecordBatch located, MutableRecordBatch batch, Path file) {
    boolean same = located.lastOffset() == batch.lastOffset() && located.sizeInBytes() == batch.sizeInBytes();
    if (!same) throw new IllegalStateException("the two readers differ at " + located.position() + " of " + file);
    return BatchDescriber.describe(batch, located.position());
  }
}
