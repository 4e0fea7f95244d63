package partitionlog.kafka.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Names and writes the files of a segment inside the folder of a partition. */
public final class LogFiles {
  private LogFiles() {}

  public static Path file(Path folder, String topic, long baseOffset, String suffix) {
    return folder.resolve(topic + "-0").resolve(String.format("%020d.%s", baseOffset, suffix));
  }

  public static void write(Path file, byte[] bytes) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }
}
