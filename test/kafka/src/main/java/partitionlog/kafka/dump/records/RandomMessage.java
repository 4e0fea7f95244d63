package partitionlog.kafka.dump.records;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import partitionlog.kafka.json.Json;

/** Random values for the fields of a message, in the JSON of Kafka's converters, many at the edges of their types. */
final class RandomMessage {
  private static final List<String> TEXTS = List.of("", "consumer", "a,b:c", "say \"hi\" \\ /", "tab\tline\nreturn\r",
      "\u0000\u0001\b\f\u000b\u001b\u001f\u007f", "h\u00e9llo \u6f22\u5b57 \ud83d\ude00", "\u2028\u2029\ufeff",
      "x".repeat(126), "y".repeat(127), "z".repeat(128), "w".repeat(300), "</DELETE>");
  private static final long[] EDGES = {0, 1, -1, 2, 5, 7, 127, 128, -128, Short.MAX_VALUE, Short.MIN_VALUE, 65_535,
      Integer.MAX_VALUE, Integer.MIN_VALUE, 9_007_199_254_740_993L, Long.MAX_VALUE, Long.MIN_VALUE};
  private static final int MOST_ELEMENTS = 3;

  private final Random random;

  RandomMessage(Random random) {
    this.random = random;
  }

  JsonNode of(String message, short version) throws IOException {
    MessageSpec spec = MessageSpec.of(message);
    return struct(spec, spec.fields(), version);
  }

  private ObjectNode struct(MessageSpec spec, List<MessageSpec.Field> fields, short version) throws IOException {
    ObjectNode json = Json.object();
    for (MessageSpec.Field field : fields) {
      if (!field.isIn(version) || (field.isTaggedIn(version) && random.nextInt(3) == 0)) continue;
      json.set(field.name(), value(spec, field, version));
    }
    return json;
  }

  private JsonNode value(MessageSpec spec, MessageSpec.Field field, short version) throws IOException {
    if (field.isNullableIn(version) && random.nextInt(3) == 0) return NullNode.instance;
    if (!field.isArray()) return element(spec, field, version);
    ArrayNode array = Json.array();
    for (int left = random.nextInt(MOST_ELEMENTS + 1); left > 0; left--) array.add(element(spec, field, version));
    return array;
  }

  private JsonNode element(MessageSpec spec, MessageSpec.Field field, short version) throws IOException {
    return switch (field.elementType()) {
      case "int8" -> IntNode.valueOf((byte) number());
      case "int16" -> IntNode.valueOf((short) number());
      case "uint16" -> IntNode.valueOf((int) (number() & 0xffff));
      case "int32" -> IntNode.valueOf((int) number());
      case "int64" -> LongNode.valueOf(number());
      case "uuid" -> TextNode.valueOf(uuid().toString());
      case "string" -> TextNode.valueOf(text(field.name()));
      case "bytes" -> BinaryNode.valueOf(bytes(field.name()));
      default -> struct(spec, spec.struct(field.elementType()), version);
    };
  }

  private long number() {
    return random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong() >> random.nextInt(64);
  }

  private Uuid uuid() {
    return random.nextInt(3) == 0 ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
  }

  /** Only what consumers keep in their group is opened by the dump. */
  private String text(String field) {
    if (field.equals("protocolType") && random.nextBoolean()) return "consumer";
    return random.nextInt(4) == 0 ? "t" + random.nextInt(1000) : TEXTS.get(random.nextInt(TEXTS.size()));
  }

  /** A member's subscription and assignment are messages themselves, which the dump opens; some here are none. */
  private byte[] bytes(String field) throws IOException {
    if (random.nextBoolean() && field.equals("subscription")) return MemberProtocol.subscription(this, random);
    if (random.nextBoolean() && field.equals("assignment")) return MemberProtocol.assignment(this, random);
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }
}
