package partitionlog.kafka.dump;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import partitionlog.kafka.dump.records.CoordinatorTopic;
import partitionlog.kafka.dump.records.RecordLog;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/**
 * Kafka's dump tool for a test, call after call in one JVM.
 *
 * <p>A request has `args`, with absolute paths, and gets what {@link DumpCall} says; or it has `write`, a `.log` to be
 * made, `topic` (`GROUP` or `TRANSACTION`) and `seed`, and gets the count of the random coordinator records in it.
 */
public final class DumpMain {
  private DumpMain() {}

  public static void main(String[] arguments) throws Exception {
    JsonLines.serve(request -> request.has("write") ? write(request) : dump(request));
  }

  private static JsonNode dump(JsonNode request) {
    List<String> args = new ArrayList<>();
    request.get("args").forEach(arg -> args.add(arg.asText()));
    return new DumpCall(args).run();
  }

  private static JsonNode write(JsonNode request) throws Exception {
    CoordinatorTopic topic = CoordinatorTopic.valueOf(request.get("topic").asText());
    RecordLog log = new RecordLog(topic, request.get("seed").asLong());
    return Json.object().put("records", log.write(Path.of(request.get("write").asText())));
  }
}
