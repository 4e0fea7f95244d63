package partitionlog.kafka.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.ops.Appends;
import partitionlog.kafka.driver.ops.Changes;
import partitionlog.kafka.driver.ops.Housekeeping;
import partitionlog.kafka.driver.ops.LogOperation;
import partitionlog.kafka.driver.ops.Producers;
import partitionlog.kafka.driver.ops.Reads;
import partitionlog.kafka.driver.request.Refusals;
import partitionlog.kafka.driver.request.Request;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/**
 * Holds the one log that is open, and answers an operation with its result or Kafka's refusal, and with the log's
 * state after it. What an operation started in the background has been done before its state is told.
 */
final class Driver implements JsonLines.Handler {
  private final Map<String, LogOperation> operations = new HashMap<>();
  private final BrokerTopicStats stats = new BrokerTopicStats();
  private final FileTimes fileTimes = new FileTimes();
  private OpenLog open;

  Driver() {
    Appends.addTo(operations);
    Changes.addTo(operations);
    Reads.addTo(operations);
    Producers.addTo(operations);
    Housekeeping.addTo(operations);
  }

  @Override
  public JsonNode answer(JsonNode json) throws Exception {
    Request request = new Request(json);
    ObjectNode answer = Json.object();
    try {
      answer.set("result", run(request));
    } catch (Exception e) {
      Refusals.put(answer, e);
    }
    if (open != null) {
      open.settle();
      fileTimes.stamp(open.log(), open.nowMs());
      answer.set("state", LogState.of(open.log()));
    }
    return answer;
  }

  private JsonNode run(Request request) throws Exception {
    switch (request.op()) {
      case "open" -> open(request);
      case "close" -> take().close();
      case "crash" -> take().abandon();
      case "quit-log" -> quit();
      default -> {
        LogOperation operation = operations.get(request.op());
        if (operation == null) throw new IllegalStateException("no operation " + request.op());
        return operation.run(opened(), request);
      }
    }
    return NullNode.getInstance();
  }

  private void open(Request request) throws Exception {
    if (open != null) throw new IllegalStateException("a log is open already");
    open = OpenLog.open(request, stats);
  }

  private OpenLog opened() {
    if (open == null) throw new IllegalStateException("no log is open");
    return open;
  }

  /** The open log, which from here on is open no more, whatever becomes of closing it. */
  private OpenLog take() {
    OpenLog taken = opened();
    open = null;
    return taken;
  }

  private void quit() throws Exception {
    if (open != null) take().abandon();
  }
}
