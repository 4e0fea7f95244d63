package partitionlog.kafka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Waits for a broker's log cleaner by looking at its checkpoint and at the partition's folder. */
public final class CleanerWatch {
  private static final long PATIENCE_MS = 60_000;
  private static final long PAUSE_MS = 50;

  private CleanerWatch() {}

  /** `awaitCleaned` for partition 0. */
  public static void awaitCleaned(Path logDir, String topic) throws IOException, InterruptedException {
    awaitCleaned(logDir, topic, 0);
  }

  /** Returns when everything below the active segment is cleaned and the replaced files are unlinked. */
  public static void awaitCleaned(Path logDir, String topic, int partition) throws IOException, InterruptedException {
    long deadline = System.currentTimeMillis() + PATIENCE_MS;
    while (!isCleaned(logDir, topic, partition)) {
      if (System.currentTimeMillis() > deadline) throw new IllegalStateException("the cleaner does not clean " + topic);
      Thread.sleep(PAUSE_MS);
    }
  }

  private static boolean isCleaned(Path logDir, String topic, int partition) throws IOException {
    Path checkpoint = logDir.resolve("cleaner-offset-checkpoint");
    List<String> files = namesIn(logDir.resolve(topic + "-" + partition));
    if (!Files.exists(checkpoint) || files.stream().anyMatch(name -> name.matches(".*\\.(cleaned|swap|deleted)"))) {
      return false;
    }
    long activeBaseOffset = files.stream()
        .filter(name -> name.endsWith(".log"))
        .mapToLong(name -> Long.parseLong(name.substring(0, name.indexOf('.'))))
        .max().orElseThrow();
    String expected = topic + " " + partition + " " + activeBaseOffset;
    return Files.readAllLines(checkpoint).contains(expected);
  }

  private static List<String> namesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
