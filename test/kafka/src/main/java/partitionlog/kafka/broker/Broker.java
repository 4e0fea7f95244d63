package partitionlog.kafka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;

/** A real Kafka broker in a process of its own. It can be stopped and started again over the same log directory. */
public final class Broker implements AutoCloseable {
  private static final String CLUSTER_ID = "cGFydGl0aW9uLWxvZy0wMQ";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path output;
  private final BrokerSettings settings;
  private Process process;

  /** Formats a new log directory under `home`. */
  public Broker(Path home) throws IOException, InterruptedException {
    output = home.resolve("broker.out");
    settings = new BrokerSettings(home);
    List<String> arguments = List.of("format", "-t", CLUSTER_ID, "-c", settings.file().toString());
    Process format = run("kafka.tools.StorageTool", arguments);
    if (format.waitFor() != 0) throw failure("the format command failed");
  }

  public Path logDir() {
    return settings.logDir();
  }

  public String bootstrapServers() {
    return settings.bootstrapServers();
  }

  /** Returns when the broker answers. */
  public void start() throws IOException, InterruptedException {
    process = run("kafka.Kafka", List.of(settings.file().toString()));
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin.describeCluster().nodes().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException problem) {
      throw failure("the broker does not answer: " + problem);
    }
  }

  /** The controlled shutdown: the marker of a clean one must be there afterwards. */
  public void stop() throws IOException, InterruptedException {
    process.destroy();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) throw failure("the broker does not stop");
    if (!Files.exists(logDir().resolve(".kafka_cleanshutdown"))) throw failure("no clean shutdown");
  }

  @Override
  public void close() {
    if (process != null) process.destroyForcibly();
  }

  private Process run(String mainClass, List<String> arguments) throws IOException {
    return JavaProcess.of(mainClass, arguments)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .start();
  }

  private IllegalStateException failure(String what) throws IOException {
    return new IllegalStateException(what + "\n" + Files.readString(output));
  }
}
