package partitionlog.kafka.bench.row;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Log directories to be cleaned, copied from a data set as bench/work/log-copies.mjs does. */
final class LogCopies {
  private static final String LOG = ".log";

  private LogCopies() {}

  /** With `settle` nobody's writes wait for the disk any more on return. */
  static void copy(File from, File to, boolean settle) throws IOException, InterruptedException {
    Files.createDirectory(to.toPath());
    for (Path entry : entries(from.toPath())) {
      Path target = to.toPath().resolve(entry.getFileName());
      if (Files.isDirectory(entry)) copyLog(entry, target);
      else Files.copy(entry, target);
    }
    if (settle) new ProcessBuilder("sync").start().waitFor();
  }

  static void remove(File directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory.toPath())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }

  private static void copyLog(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    List<Path> files = entries(from);
    Path active = files.stream().filter(LogCopies::isLog).reduce((first, last) -> last).orElseThrow();
    for (Path file : files) {
      Path target = to.resolve(file.getFileName());
      if (isLog(file) && !file.equals(active)) Files.createLink(target, file);
      else Files.copy(file, target);
    }
  }

  private static boolean isLog(Path file) {
    return file.toString().endsWith(LOG);
  }

  private static List<Path> entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }
}
