package partitionlog.kafka.dump.records;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of one of Kafka's messages, by the description that lies beside its classes in Kafka's jar: so whatever
 * Kafka's version has is covered, and nothing of it is written down here.
 */
final class MessageSpec {
  private static final ObjectMapper MAPPER = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);

  private final List<Field> fields;
  private final Map<String, List<Field>> structs = new HashMap<>();

  private MessageSpec(JsonNode json) {
    json.path("commonStructs").forEach(struct -> structs.put(struct.get("name").asText(), fields(struct)));
    fields = fields(json);
  }

  static MessageSpec of(String message) throws IOException {
    try (InputStream resource = MessageSpec.class.getResourceAsStream("/common/message/" + message + ".json")) {
      if (resource == null) throw new IOException("Kafka has no message " + message);
      return new MessageSpec(MAPPER.readTree(resource));
    }
  }

  List<Field> fields() {
    return fields;
  }

  /** Fields of the struct with this name, which a field has as its type. */
  List<Field> struct(String name) {
    return structs.get(name);
  }

  private List<Field> fields(JsonNode parent) {
    List<Field> found = new ArrayList<>();
    for (JsonNode field : parent.get("fields")) {
      Field one = new Field(field);
      if (field.has("fields")) structs.put(one.elementType(), fields(field));
      found.add(one);
    }
    return found;
  }

  /** One field of a message or struct. */
  record Field(JsonNode json) {

    /** As Kafka's JSON has it. */
    String name() {
      String name = json.get("name").asText();
      return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    boolean isArray() {
      return json.get("type").asText().startsWith("[]");
    }

    /** The type, or that of an array's elements. */
    String elementType() {
      return json.get("type").asText().replace("[]", "");
    }

    /** Whether a message of this version has the field, tagged or not. */
    boolean isIn(short version) {
      return covers(json.has("versions") ? "versions" : "taggedVersions", version);
    }

    boolean isNullableIn(short version) {
      return covers("nullableVersions", version);
    }

    boolean isTaggedIn(short version) {
      return covers("taggedVersions", version);
    }

    /** Ranges are `3`, `3+`, `0-3` and `none`. */
    private boolean covers(String name, short version) {
      String range = json.path(name).asText("none");
      if (range.isEmpty() || range.equals("none")) return false;
      if (range.endsWith("+")) return version >= Short.parseShort(range.substring(0, range.length() - 1));
      String[] ends = range.split("-");
      return version >= Short.parseShort(ends[0]) && version <= Short.parseShort(ends[ends.length - 1]);
    }
  }
}
