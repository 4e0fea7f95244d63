package partitionlog.kafka.bench.row;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process holds, by the kernel's own account (Linux). */
public final class ProcessUse {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path IO = Path.of("/proc/self/io");
  private static final Path FORGET = Path.of("/proc/self/clear_refs");
  private static final String FORGET_PEAK = "5";

  private ProcessUse() {}

  public static int descriptors() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }

  /** Mappings of index files. */
  public static long indexMaps() throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.endsWith(".index") || line.endsWith(".timeindex")).count();
    }
  }

  /** The most memory that was resident so far, or since `resetPeak`, in KiB. */
  public static long peakKib() throws IOException {
    return status("VmHWM:");
  }

  public static long residentKib() throws IOException {
    return status("VmRSS:");
  }

  /** Begins a new peak. */
  public static void resetPeak() throws IOException {
    Files.writeString(FORGET, FORGET_PEAK);
  }

  /** System calls that read and that wrote since the start; null where the kernel does not tell. */
  public static long[] calls() throws IOException {
    if (!Files.exists(IO)) return null;
    long[] counts = new long[2];
    for (String line : Files.readAllLines(IO)) {
      if (line.startsWith("syscr: ")) counts[0] = Long.parseLong(line.substring("syscr: ".length()));
      if (line.startsWith("syscw: ")) counts[1] = Long.parseLong(line.substring("syscw: ".length()));
    }
    return counts;
  }

  /** Of all threads since the start. */
  public static long cpuNs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static long status(String name) throws IOException {
    try (Stream<String> status = Files.lines(STATUS)) {
      String line = status.filter(one -> one.startsWith(name)).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
  }
}
