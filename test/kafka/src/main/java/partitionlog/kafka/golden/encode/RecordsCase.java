package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import partitionlog.kafka.broker.Entry;
import partitionlog.kafka.json.BytesJson;
import partitionlog.kafka.json.Json;

/** A batch of records, each at its own offset delta, made by Kafka's MemoryRecordsBuilder. */
record RecordsCase(String name, BatchHeader header, List<Placed> records) implements EncodeCase {

  /** A record and its offset relative to the batch's base offset. */
  record Placed(int offsetDelta, Entry entry) {}

  @Override
  public ObjectNode inputs() {
    ObjectNode json = Json.object();
    header.putInto(json);
    ArrayNode list = json.putArray("records");
    for (Placed record : records) list.add(describe(record));
    return json;
  }

  @Override
  public ByteBuffer bytes() throws IOException {
    try (MemoryRecordsBuilder builder = newBuilder()) {
      for (Placed record : records) append(builder, record);
      return builder.build().buffer();
    }
  }

  private MemoryRecordsBuilder newBuilder() {
    boolean isControlBatch = false;
    return new MemoryRecordsBuilder(
        new ByteBufferOutputStream(1024), RecordBatch.MAGIC_VALUE_V2, header.codec(), header.timestampType(),
        header.baseOffset(), header.logAppendTime(), header.producerId(), header.producerEpoch(),
        header.baseSequence(), header.isTransactional(), isControlBatch, header.partitionLeaderEpoch(),
        Integer.MAX_VALUE, header.deleteHorizonMs());
  }

  /** The checked way refuses timestamps below -1, which may be in a log all the same. */
  private void append(MemoryRecordsBuilder builder, Placed record) throws IOException {
    Entry entry = record.entry();
    long offset = header.baseOffset() + record.offsetDelta();
    SimpleRecord simple = new SimpleRecord(entry.timestamp(), entry.key(), entry.value(), entry.headers());
    if (entry.timestamp() < RecordBatch.NO_TIMESTAMP) builder.appendUncheckedWithOffset(offset, simple);
    else builder.appendWithOffset(offset, simple);
  }

  private ObjectNode describe(Placed record) {
    Entry entry = record.entry();
    ObjectNode json = Json.object()
        .put("offset", Json.int64(header.baseOffset() + record.offsetDelta()))
        .put("timestamp", Json.int64(entry.timestamp()));
    json.set("key", BytesJson.inFull(entry.key()));
    json.set("value", BytesJson.inFull(entry.value()));
    ArrayNode headers = json.putArray("headers");
    for (Header one : entry.headers()) {
      headers.addObject().put("key", one.key()).set("value", BytesJson.inFull(one.value()));
    }
    return json;
  }
}
