package partitionlog.kafka.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Child processes of this Java, with this class path: Kafka's own commands are run as a user runs them. */
public final class JavaProcess {
  private JavaProcess() {}

  public static ProcessBuilder of(String mainClass, List<String> arguments) {
    return of(List.of(), mainClass, arguments);
  }

  /** With options of the JVM, such as system properties. */
  public static ProcessBuilder of(List<String> options, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }
}
