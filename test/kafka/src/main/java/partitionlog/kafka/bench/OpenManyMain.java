package partitionlog.kafka.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import partitionlog.kafka.json.Json;
import partitionlog.kafka.lines.JsonLines;

/**
 * Opens and closes a directory of many logs for `bench/open-many.mjs`. A request has `directory` and `threads`, those
 * that load the directory; its reply has the times, and what the process held when all was open. Earlier requests warm
 * the JVM for later ones.
 */
public final class OpenManyMain {
  private static final double NS_PER_MS = 1e6;

  private OpenManyMain() {}

  public static void main(String[] args) throws IOException {
    JsonLines.serve(OpenManyMain::measure);
    System.exit(0);
  }

  private static JsonNode measure(JsonNode request) throws Exception {
    File directory = new File(request.get("directory").asText());
    long beforeOpen = System.nanoTime();
    ManyLogs logs = ManyLogs.open(directory, request.get("threads").asInt());
    long opened = System.nanoTime();
    ObjectNode answer = Json.object().put("logs", logs.size()).put("descriptors", ProcessUse.descriptors())
        .put("indexMaps", ProcessUse.indexMaps());
    long beforeClose = System.nanoTime();
    logs.close();
    long closed = System.nanoTime();
    return answer.put("openMs", (opened - beforeOpen) / NS_PER_MS).put("closeMs", (closed - beforeClose) / NS_PER_MS)
        .put("peakKib", ProcessUse.peakKib());
  }
}
