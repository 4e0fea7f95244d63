package partitionlog.kafka.bench.row;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Kafka's side of rows/open.mjs: a LogManager opens the directory and closes it again. Kafka opens the `.log` of every
 * segment, so that it cannot where too few descriptors are allowed.
 */
final class OpenRow implements Row {
  private static final double NS_PER_MS = 1e6;
  /** Of a JVM beside the files of its logs, roughly. */
  private static final int OWN_DESCRIPTORS = 200;

  private final File directory;
  private final int threads;

  OpenRow(RowRequest request, String data) throws Exception {
    directory = request.data(data);
    threads = (int) request.number("threads");
    long needed = segments(directory) + OWN_DESCRIPTORS;
    long allowed = allowedDescriptors();
    if (needed > allowed) throw new Absent(needed + " descriptors are needed, " + allowed + " are allowed");
    for (long n = request.number("warmUps"); n > 0; n--) measure(request.data("open-many-warm"));
  }

  @Override
  public Sample round() throws Exception {
    return measure(directory);
  }

  @Override
  public void close() {}

  private Sample measure(File logs) throws Exception {
    if (!new File(logs, ".kafka_cleanshutdown").exists()) throw new IOException("it was not closed cleanly");
    long beforeOpen = System.nanoTime();
    ManyLogs opened = ManyLogs.open(logs, threads);
    double openMs = (System.nanoTime() - beforeOpen) / NS_PER_MS;
    int count = opened.size();
    int descriptors = ProcessUse.descriptors();
    long indexMaps = ProcessUse.indexMaps();
    long beforeClose = System.nanoTime();
    opened.close();
    double closeMs = (System.nanoTime() - beforeClose) / NS_PER_MS;
    return Sample.of(openMs, count).check(count).extra("closeMs", closeMs).extra("descriptors", descriptors)
        .extra("indexMaps", indexMaps);
  }

  private static long segments(File directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory.toPath())) {
      return files.filter(file -> file.toString().endsWith(".log")).count();
    }
  }

  private static long allowedDescriptors() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return system instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : Long.MAX_VALUE;
  }
}
