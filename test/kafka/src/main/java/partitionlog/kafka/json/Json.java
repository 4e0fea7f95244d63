package partitionlog.kafka.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes JSON values and writes them to files, one element of an array a line, so that a difference is readable. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  public static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  /** A 64-bit number is a decimal string, since a JavaScript number would round it. */
  public static String int64(long value) {
    return Long.toString(value);
  }

  public static void write(Path file, ArrayNode array) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, lines(array));
  }

  private static String lines(ArrayNode array) throws IOException {
    StringBuilder text = new StringBuilder("[");
    String separator = "\n";
    for (JsonNode element : array) {
      text.append(separator).append(MAPPER.writeValueAsString(element));
      separator = ",\n";
    }
    return text.append("\n]\n").toString();
  }
}
