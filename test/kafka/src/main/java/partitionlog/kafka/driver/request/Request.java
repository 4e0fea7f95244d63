package partitionlog.kafka.driver.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/** The fields of a request. One that is missing or of another kind is a fault of the test. */
public record Request(JsonNode json) {

  public String op() {
    return text("op");
  }

  public boolean has(String field) {
    return json.hasNonNull(field);
  }

  public JsonNode at(String field) {
    if (!json.has(field)) throw new IllegalStateException("no field " + field + " in " + json);
    return json.get(field);
  }

  public Request in(String field) {
    return new Request(at(field));
  }

  public String text(String field) {
    JsonNode value = at(field);
    if (!value.isTextual()) throw new IllegalStateException(field + " is no text in " + json);
    return value.textValue();
  }

  /** A 64-bit number, which is text so that JavaScript does not round it. */
  public long int64(String field) {
    return Long.parseLong(text(field));
  }

  public int int32(String field) {
    JsonNode value = at(field);
    if (!value.isInt()) throw new IllegalStateException(field + " is no 32-bit number in " + json);
    return value.intValue();
  }

  public short int16(String field) {
    int value = int32(field);
    if (value != (short) value) throw new IllegalStateException(field + " is no 16-bit number in " + json);
    return (short) value;
  }

  public boolean flag(String field) {
    JsonNode value = at(field);
    if (!value.isBoolean()) throw new IllegalStateException(field + " is no boolean in " + json);
    return value.booleanValue();
  }

  /** Base64; null stays null. */
  public byte[] bytes(String field) throws IOException {
    return at(field).isNull() ? null : at(field).binaryValue();
  }
}
