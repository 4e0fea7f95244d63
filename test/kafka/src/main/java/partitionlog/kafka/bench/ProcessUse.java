package partitionlog.kafka.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process holds, by the kernel's own account (Linux). */
final class ProcessUse {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String PEAK = "VmHWM:";

  private ProcessUse() {}

  static int descriptors() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }

  /** Mappings of index files. */
  static long indexMaps() throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.endsWith(".index") || line.endsWith(".timeindex")).count();
    }
  }

  /** The most memory that was resident so far, in KiB. */
  static long peakKib() throws IOException {
    try (Stream<String> status = Files.lines(STATUS)) {
      String peak = status.filter(line -> line.startsWith(PEAK)).findFirst().orElseThrow();
      return Long.parseLong(peak.replaceAll("[^0-9]", ""));
    }
  }
}
