package partitionlog.kafka.golden;

import java.nio.file.Files;
import java.nio.file.Path;
import partitionlog.kafka.describe.ExpectedTree;
import partitionlog.kafka.golden.control.ControlLog;
import partitionlog.kafka.golden.damaged.DamagedLogs;
import partitionlog.kafka.golden.dump.DumpFiles;
import partitionlog.kafka.golden.encode.EncodeFiles;
import partitionlog.kafka.golden.legacy.LegacyLogs;
import partitionlog.kafka.json.Json;

/** Writes all golden files: `MakeGolden GOLDEN SCRATCH`, where both folders are empty and SCRATCH is thrown away. */
public final class MakeGolden {
  private static final String BROKER = "broker-4.4.0";
  private static final long A_SEALED_SEGMENT = 99;

  private final Path golden;
  private final Path scratch;

  private MakeGolden(Path golden, Path scratch) {
    this.golden = golden;
    this.scratch = scratch;
  }

  public static void main(String[] arguments) throws Exception {
    new MakeGolden(Path.of(arguments[0]).toAbsolutePath(), Path.of(arguments[1]).toAbsolutePath()).run();
  }

  private void run() throws Exception {
    writeLogs();
    describeLogs();
    new DumpFiles(golden, scratch).write();
  }

  private void writeLogs() throws Exception {
    Path home = Files.createDirectories(scratch.resolve("broker"));
    var partitions = new BrokerDirectory(home).write(golden.resolve(BROKER));
    Json.write(golden.resolve("expected").resolve(BROKER).resolve("partitions.json"), partitions);
    new LegacyLogs(golden.resolve("legacy")).write();
    ControlLog.write(golden.resolve("control"));
    EncodeFiles.write(golden.resolve("encode"));
    Path segments = golden.resolve(BROKER).resolve("segments-0");
    new DamagedLogs(segments, A_SEALED_SEGMENT, golden.resolve("damaged")).write();
  }

  /** Not the damaged ones: Kafka's classes refuse some and misread others. */
  private void describeLogs() throws Exception {
    for (String folder : new String[] {BROKER, "legacy", "control", "encode"}) {
      ExpectedTree.write(golden, folder, golden.resolve("expected"));
    }
  }
}
