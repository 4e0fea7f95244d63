package partitionlog.kafka.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Gives the files of segments the script's time: one that an operation has written bears the machine's, and Kafka
 * takes that for the age of a segment whose records have no time.
 */
final class FileTimes {
  private final Map<Path, FileTime> given = new HashMap<>();

  /** Call after each operation. A file that nothing has written since keeps its time. */
  void stamp(UnifiedLog log, long nowMs) throws IOException {
    for (LogSegment segment : log.logSegments()) {
      Path path = segment.log().file().toPath();
      if (Files.getLastModifiedTime(path).equals(given.get(path))) continue;
      // Its indexes may not be there yet: LogSegment.setLastModified would ask for them.
      Files.setLastModifiedTime(path, FileTime.fromMillis(nowMs));
      given.put(path, Files.getLastModifiedTime(path));
    }
  }
}
