package partitionlog.kafka.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What Kafka's own classes read from a file of a log, chosen by the file's suffix. */
public final class FileDescriber {
  private FileDescriber() {}

  /** Empty for a file that is not one of a segment's: checkpoints and metadata are text and speak for themselves. */
  public static Optional<ArrayNode> describe(Path file) throws IOException {
    String name = file.getFileName().toString();
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "log", "bin" -> Optional.of(LogDescriber.describe(file));
      case "index" -> Optional.of(IndexDescriber.describeOffsets(file, baseOffset(name)));
      case "timeindex" -> Optional.of(IndexDescriber.describeTimes(file, baseOffset(name)));
      case "txnindex" -> Optional.of(IndexDescriber.describeAborted(file, baseOffset(name)));
      case "snapshot" -> Optional.of(SnapshotDescriber.describe(file));
      default -> Optional.empty();
    };
  }

  private static long baseOffset(String name) {
    return Long.parseLong(name.substring(0, name.indexOf('.')));
  }
}
