package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import partitionlog.kafka.json.Json;

/** Describes every file under a folder into a tree of JSON files of the same relative paths. */
public final class ExpectedTree {
  private ExpectedTree() {}

  public static void write(Path root, String folder, Path expectedRoot) throws IOException {
    for (Path file : filesUnder(root.resolve(folder))) {
      Optional<ArrayNode> description = FileDescriber.describe(file);
      if (description.isEmpty()) continue;
      Json.write(expectedRoot.resolve(root.relativize(file) + ".json"), description.get());
    }
  }

  private static List<Path> filesUnder(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
