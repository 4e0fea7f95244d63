package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import partitionlog.kafka.json.Json;

/** Writes each case's bytes as a `.bin` file, and all inputs as `cases.json`. */
public final class EncodeFiles {
  private EncodeFiles() {}

  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    ArrayNode cases = Json.array();
    for (EncodeCase one : allCases()) {
      String file = one.name() + ".bin";
      Files.write(folder.resolve(file), copy(one.bytes()));
      cases.add(describe(one, file));
    }
    Json.write(folder.resolve("cases.json"), cases);
  }

  private static ObjectNode describe(EncodeCase one, String file) {
    ObjectNode inputs = one.inputs();
    boolean isExact = inputs.get("codec").asText().equals("none");
    ObjectNode json = Json.object().put("name", one.name()).put("file", file).put("exact", isExact);
    return json.setAll(inputs);
  }

  private static List<EncodeCase> allCases() {
    List<EncodeCase> cases = new ArrayList<>(RecordCases.all());
    cases.addAll(HeaderCases.all());
    return cases;
  }

  private static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
