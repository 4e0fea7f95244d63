package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.request.Request;
import partitionlog.kafka.json.BytesJson;
import partitionlog.kafka.json.Json;

/** What is read from the log, by offset, by time and by leader epoch. Nothing here changes it. */
public final class Reads {
  private static final Map<String, FetchIsolation> ISOLATIONS = Map.of(
      "logEnd", FetchIsolation.LOG_END,
      "highWatermark", FetchIsolation.HIGH_WATERMARK,
      "committed", FetchIsolation.TXN_COMMITTED);

  private Reads() {}

  public static void addTo(Map<String, LogOperation> operations) {
    operations.put("fetch", Reads::fetch);
    operations.put("locate", Reads::locate);
    operations.put("time", (open, request) -> time(open.log(), request.int64("timestamp")));
    operations.put("maxTime", (open, request) -> time(open.log(), ListOffsetsRequest.MAX_TIMESTAMP));
    operations.put("epochEnd", Reads::epochEnd);
  }

  /** UnifiedLog.read. The bytes are cut at `maxBytes`, so the last batch may not be whole. */
  private static JsonNode fetch(OpenLog open, Request request) throws IOException {
    FetchIsolation isolation = ISOLATIONS.get(request.text("isolation"));
    if (isolation == null) throw new IllegalStateException("no isolation " + request.text("isolation"));
    FetchDataInfo read = open.log().read(
        request.int64("offset"), request.int32("maxBytes"), isolation, request.flag("minOneBatch"));
    ObjectNode result = Json.object();
    result.set("bytes", BytesJson.inFull(bytes(read.records)));
    result.set("aborted", aborted(read.abortedTransactions.orElse(List.of())));
    return result;
  }

  private static byte[] bytes(Records records) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(records.sizeInBytes());
    if (records instanceof FileRecords file) file.readInto(buffer, 0);
    return buffer.array();
  }

  private static ArrayNode aborted(List<AbortedTransaction> transactions) {
    ArrayNode aborted = Json.array();
    for (AbortedTransaction transaction : transactions) {
      aborted.addObject()
          .put("producerId", Json.int64(transaction.producerId()))
          .put("firstOffset", Json.int64(transaction.firstOffset()));
    }
    return aborted;
  }

  /** OffsetIndex.lookup and LogSegment.translateOffset of the last segment at or below the offset; null below all. */
  private static JsonNode locate(OpenLog open, Request request) throws IOException {
    long offset = request.int64("offset");
    LogSegment segment = null;
    for (LogSegment next : open.log().logSegments()) if (next.baseOffset() <= offset) segment = next;
    if (segment == null) return NullNode.getInstance();
    OffsetPosition entry = segment.offsetIndex().lookup(offset);
    ObjectNode result = Json.object().put("segment", Json.int64(segment.baseOffset()));
    result.putObject("indexEntry").put("offset", Json.int64(entry.offset())).put("position", entry.position());
    result.set("batch", batch(segment.translateOffset(offset)));
    return result;
  }

  private static JsonNode batch(FileRecords.LogOffsetPosition batch) {
    if (batch == null) return NullNode.getInstance();
    return Json.object().put("position", batch.position).put("sizeInBytes", batch.size);
  }

  /** UnifiedLog.fetchOffsetByTimestamp. */
  private static JsonNode time(UnifiedLog log, long timestamp) {
    Optional<FileRecords.TimestampAndOffset> found =
        log.fetchOffsetByTimestamp(timestamp, Optional.empty()).timestampAndOffsetOpt();
    if (found.isEmpty()) return NullNode.getInstance();
    return Json.object()
        .put("offset", Json.int64(found.get().offset))
        .put("timestamp", Json.int64(found.get().timestamp));
  }

  /** UnifiedLog.endOffsetForEpoch. */
  private static JsonNode epochEnd(OpenLog open, Request request) {
    Optional<OffsetAndEpoch> end = open.log().endOffsetForEpoch(request.int32("epoch"));
    if (end.isEmpty()) return NullNode.getInstance();
    return Json.object().put("epoch", end.get().epoch()).put("offset", Json.int64(end.get().offset()));
  }
}
