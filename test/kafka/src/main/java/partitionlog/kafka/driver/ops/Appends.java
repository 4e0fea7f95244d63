package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.request.Refusals;
import partitionlog.kafka.driver.request.Request;
import partitionlog.kafka.json.Json;

/** UnifiedLog.appendAsLeader and appendAsFollower: of a batch that is built here, or of bytes as they come. */
public final class Appends {
  private Appends() {}

  public static void addTo(Map<String, LogOperation> operations) {
    operations.put("append", Appends::append);
    operations.put("leader", Appends::leader);
    operations.put("follower", Appends::follower);
  }

  private static JsonNode append(OpenLog open, Request request) throws Exception {
    MemoryRecords records = BuiltBatch.of(request);
    return appended(open.log(), () -> open.log().appendAsLeader(records, request.int32("leaderEpoch")));
  }

  private static JsonNode leader(OpenLog open, Request request) throws Exception {
    int leaderEpoch = request.int32("leaderEpoch");
    MemoryRecords records = wire(request);
    return appended(open.log(), () -> Refusals.judged(() -> open.log().appendAsLeader(records, leaderEpoch)));
  }

  private static JsonNode follower(OpenLog open, Request request) throws Exception {
    int leaderEpoch = request.int32("leaderEpoch");
    MemoryRecords records = wire(request);
    return appended(open.log(), () -> Refusals.judged(() -> open.log().appendAsFollower(records, leaderEpoch)));
  }

  private static MemoryRecords wire(Request request) throws Exception {
    return MemoryRecords.readableRecords(ByteBuffer.wrap(request.bytes("bytes")));
  }

  /** Null where nothing was there to append. A duplicate has the offsets of the batch that it repeats, and no bytes. */
  static JsonNode appended(UnifiedLog log, Refusals.Judged<LogAppendInfo> append) throws Exception {
    long endBefore = log.logEndOffset();
    long sizeBefore = log.size();
    LogAppendInfo info = append.get();
    if (info.validBytes() <= 0) return NullNode.getInstance();
    ObjectNode result = Json.object()
        .put("baseOffset", Json.int64(info.firstOffset()))
        .put("lastOffset", Json.int64(info.lastOffset()))
        .put("appendedBytes", Math.toIntExact(log.size() - sizeBefore));
    if (log.logEndOffset() == endBefore) result.put("duplicate", true);
    return result;
  }
}
