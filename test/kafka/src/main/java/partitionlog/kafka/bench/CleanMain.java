package partitionlog.kafka.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import partitionlog.kafka.lines.JsonLines;

/**
 * Cleans a log (`directory`), or fills a map of keys (`keys`), for `bench/clean.mjs`. Earlier requests warm the JVM for
 * later ones.
 */
public final class CleanMain {
  private CleanMain() {}

  public static void main(String[] args) throws IOException {
    JsonLines.serve(CleanMain::measure);
    System.exit(0);
  }

  private static JsonNode measure(JsonNode request) throws Exception {
    if (request.has("keys")) return MapFill.measure(request.get("keys").asInt());
    return CleanLoad.measure(new File(request.get("directory").asText()));
  }
}
