package partitionlog.kafka.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;

/** What is to be measured, as bench/lib/contenders.mjs says it. */
public final class RowRequest {
  private final JsonNode request;

  private RowRequest(JsonNode request) {
    this.request = request;
  }

  static RowRequest parse(String json) throws IOException {
    return new RowRequest(new ObjectMapper().readTree(json));
  }

  public String id() {
    return request.get("row").asText();
  }

  public String contender() {
    return request.get("contender").asText();
  }

  /** An empty directory of this process alone. */
  public File directory() {
    return new File(request.get("directory").asText());
  }

  /** A data set that all contenders read and none changes. */
  public File data(String name) {
    JsonNode path = request.get("data").get(name);
    if (path == null) throw new IllegalArgumentException("the row names no data set " + name);
    return new File(path.asText());
  }

  public JsonNode options() {
    return request.get("options");
  }

  public long number(String option) {
    return option(option).asLong();
  }

  public String text(String option) {
    return option(option).asText();
  }

  public boolean flag(String option) {
    return option(option).asBoolean();
  }

  private JsonNode option(String name) {
    JsonNode value = options().get(name);
    if (value == null) throw new IllegalArgumentException("the row has no option " + name);
    return value;
  }
}
