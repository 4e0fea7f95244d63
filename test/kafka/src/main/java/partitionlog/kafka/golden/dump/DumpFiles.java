package partitionlog.kafka.golden.dump;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import partitionlog.kafka.broker.JavaProcess;
import partitionlog.kafka.json.Json;

/** Runs Kafka's DumpLogSegments for each case, in the golden folder, and keeps what it said and its exit code. */
public final class DumpFiles {
  private final Path golden;
  private final Path scratch;

  public DumpFiles(Path golden, Path scratch) {
    this.golden = golden;
    this.scratch = scratch;
  }

  public void write() throws IOException, InterruptedException {
    Files.createDirectories(golden.resolve("dump"));
    ArrayNode cases = Json.array();
    for (DumpCase one : DumpCases.all()) cases.add(run(one));
    Json.write(golden.resolve("dump").resolve("cases.json"), cases);
  }

  private ObjectNode run(DumpCase one) throws IOException, InterruptedException {
    String output = "dump/" + one.name() + ".txt";
    Path errors = scratch.resolve("dump.err");
    ProcessBuilder builder = JavaProcess.of("org.apache.kafka.tools.DumpLogSegments", one.arguments())
        .directory(golden.toFile())
        .redirectOutput(golden.resolve(output).toFile())
        .redirectError(errors.toFile());
    speakUtf8(builder.environment());
    int exitCode = builder.start().waitFor();
    ObjectNode json = Json.object().put("name", one.name()).put("stdout", output).put("exitCode", exitCode);
    one.arguments().forEach(json.putArray("args")::add);
    messages(errors).forEach(json.putArray("stderr")::add);
    return json;
  }

  /** In any other locale Java would replace what is not ASCII by question marks. */
  private static void speakUtf8(Map<String, String> environment) {
    environment.put("LC_ALL", "C.UTF-8");
  }

  /** Without stack traces, and with the golden folder's own path, which Kafka puts before some names, cut out. */
  private List<String> messages(Path file) throws IOException {
    String ownPath = golden.toString() + "/";
    return Files.readAllLines(file).stream()
        .filter(line -> !line.startsWith("\tat ") && !line.startsWith("\t... "))
        .map(line -> line.replace(ownPath, ""))
        .toList();
  }
}
