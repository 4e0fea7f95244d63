package partitionlog.kafka.lines;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * Serves a test over standard streams: a request is one line of JSON, and so is its reply. Ends with standard input.
 * Whatever else is printed goes to standard error, so that it can never stand between two replies.
 */
public final class JsonLines {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonLines() {}

  /** Answers one request. A thrown exception is a fault of the test, and is told with its stack trace. */
  public interface Handler {
    JsonNode answer(JsonNode request) throws Exception;
  }

  public static void serve(Handler handler) throws IOException {
    PrintStream replies = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      replies.println(MAPPER.writeValueAsString(reply(handler, MAPPER.readTree(line))));
    }
  }

  private static ObjectNode reply(Handler handler, JsonNode request) {
    ObjectNode reply = MAPPER.createObjectNode();
    try {
      return reply.set("answer", handler.answer(request));
    } catch (Throwable fault) {
      StringWriter trace = new StringWriter();
      fault.printStackTrace(new PrintWriter(trace, true));
      return reply.put("fault", trace.toString());
    }
  }
}
