package partitionlog.kafka.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process holds, by the kernel's own account (Linux). */
final class ProcessUse {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path FORGET = Path.of("/proc/self/clear_refs");
  private static final String FORGET_PEAK = "5";

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

  /** The most memory that was resident so far, or since `resetPeak`, in KiB. */
  static long peakKib() throws IOException {
    return status("VmHWM:");
  }

  static long residentKib() throws IOException {
    return status("VmRSS:");
  }

  /** Begins a new peak. */
  static void resetPeak() throws IOException {
    Files.writeString(FORGET, FORGET_PEAK);
  }

  /** Of all threads since the start. */
  static long cpuNs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static long status(String name) throws IOException {
    try (Stream<String> status = Files.lines(STATUS)) {
      String line = status.filter(one -> one.startsWith(name)).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
  }
}
