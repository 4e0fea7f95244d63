package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import partitionlog.kafka.json.Json;

/** The control batch that ends a transaction. */
record MarkerCase(String name, BatchHeader header, long timestamp, ControlRecordType type, int coordinatorEpoch)
    implements EncodeCase {

  @Override
  public ObjectNode inputs() {
    ObjectNode json = Json.object();
    header.putInto(json);
    json.putObject("marker")
        .put("type", type.name())
        .put("coordinatorEpoch", coordinatorEpoch)
        .put("timestamp", Json.int64(timestamp));
    return json;
  }

  @Override
  public ByteBuffer bytes() {
    return MemoryRecords.withEndTransactionMarker(
        header.baseOffset(), timestamp, header.partitionLeaderEpoch(), header.producerId(), header.producerEpoch(),
        new EndTransactionMarker(type, coordinatorEpoch)).buffer();
  }
}
