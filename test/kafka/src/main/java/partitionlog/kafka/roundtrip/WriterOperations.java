package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Map;
import partitionlog.kafka.broker.TopicWriter;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/** Producers, each for one partition, under names that the test gives them. */
final class WriterOperations {
  /** So long that only the test ends a transaction. */
  private static final int TRANSACTION_TIMEOUT_MS = 600_000;

  private final BrokerSession session;

  WriterOperations(BrokerSession session) {
    this.session = session;
  }

  Map<String, JsonLines.Handler> byName() {
    return Map.of(
        "openWriter", this::open,
        "batch", this::batch,
        "begin", request -> done(request, TopicWriter::begin),
        "commit", request -> done(request, TopicWriter::commit),
        "abort", request -> done(request, TopicWriter::abort),
        "closeWriter", this::close);
  }

  /** With `transactional.id` among the settings it can begin transactions; one left open by an earlier one is aborted. */
  private JsonNode open(JsonNode request) {
    Map<String, Object> settings = RequestJson.settings(request.get("settings"));
    boolean transactional = settings.containsKey("transactional.id");
    if (transactional) settings.put("transaction.timeout.ms", TRANSACTION_TIMEOUT_MS);
    TopicWriter writer = session.cluster().writer(RequestJson.partition(request), settings);
    session.writers().put(request.get("writer").asText(), writer);
    if (transactional) writer.initTransactions();
    return Json.object();
  }

  /** Writes the entries as one batch and tells their offsets. */
  private JsonNode batch(JsonNode request) throws Exception {
    ArrayNode offsets = Json.array();
    for (long offset : writer(request).batch(RequestJson.entries(request.get("entries")))) {
      offsets.add(Json.int64(offset));
    }
    return Json.object().set("offsets", offsets);
  }

  private JsonNode close(JsonNode request) {
    session.writers().remove(request.get("writer").asText()).close();
    return Json.object();
  }

  private interface Step {
    void run(TopicWriter writer) throws Exception;
  }

  private JsonNode done(JsonNode request, Step step) throws Exception {
    step.run(writer(request));
    return Json.object();
  }

  private TopicWriter writer(JsonNode request) {
    return session.writers().get(request.get("writer").asText());
  }
}
