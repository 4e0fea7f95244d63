package partitionlog.kafka.roundtrip;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import partitionlog.kafka.lines.JsonLines;

/**
 * Drives one broker and its clients for a test: `RoundtripMain HOME`, where HOME is an empty folder for the broker to
 * live in. A request names its operation as `op`. No broker outlives this process.
 */
public final class RoundtripMain {
  private RoundtripMain() {}

  public static void main(String[] arguments) throws IOException {
    try (BrokerSession session = new BrokerSession(Files.createDirectories(Path.of(arguments[0])))) {
      Map<String, JsonLines.Handler> operations = new HashMap<>();
      operations.putAll(new BrokerOperations(session).byName());
      operations.putAll(new TopicOperations(session).byName());
      operations.putAll(new WriterOperations(session).byName());
      operations.putAll(new ReaderOperations(session).byName());
      JsonLines.serve(request -> operation(operations, request).answer(request));
    }
  }

  private static JsonLines.Handler operation(Map<String, JsonLines.Handler> operations, JsonNode request) {
    String name = request.path("op").asText();
    JsonLines.Handler operation = operations.get(name);
    if (operation == null) throw new IllegalArgumentException("no operation " + name);
    return operation;
  }
}
