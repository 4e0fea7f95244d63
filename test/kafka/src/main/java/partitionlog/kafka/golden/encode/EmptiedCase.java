package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.json.Json;

/** The bare header that compaction leaves of a batch from which every record is gone. */
record EmptiedCase(String name, BatchHeader header, long lastOffset, long maxTimestamp, boolean isControl)
    implements EncodeCase {

  @Override
  public ObjectNode inputs() {
    ObjectNode json = Json.object();
    header.putInto(json);
    json.putObject("emptied")
        .put("lastOffset", Json.int64(lastOffset))
        .put("maxTimestamp", Json.int64(maxTimestamp))
        .put("isControl", isControl);
    return json;
  }

  @Override
  public ByteBuffer bytes() {
    ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
    DefaultRecordBatch.writeEmptyHeader(
        buffer, RecordBatch.MAGIC_VALUE_V2, header.producerId(), header.producerEpoch(), header.baseSequence(),
        header.baseOffset(), lastOffset, header.partitionLeaderEpoch(), header.timestampType(), maxTimestamp,
        header.isTransactional(), isControl);
    return buffer.flip();
  }
}
