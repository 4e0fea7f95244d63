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

/** A real Kafka broker in a process of its own. It can be stopped, or killed, and started again over the same log directory. */
public final class Broker implements AutoCloseable {
  private static final String CLUSTER_ID = "cGFydGl0aW9uLWxvZy0wMQ";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int STARTS_TRIED = 3;
  private static final int LONGEST_OUTPUT_TOLD = 20_000;

  private final Path home;
  private final BrokerSettings settings;
  private Path output;
  private Process process;
  private int runs;

  /** Formats a new log directory under `home`. */
  public Broker(Path home) throws IOException, InterruptedException {
    this.home = home;
    output = home.resolve("format.out");
    settings = new BrokerSettings(home);
    List<String> arguments = List.of("format", "-t", CLUSTER_ID, "-c", settings.file().toString());
    Process format = start(JavaProcess.of("kafka.tools.StorageTool", arguments));
    if (format.waitFor() != 0) throw failure("the format command failed");
  }

  public Path logDir() {
    return settings.logDir();
  }

  /** Another one after each start. */
  public String bootstrapServers() {
    return settings.bootstrapServers();
  }

  /** What the broker has printed since its last start; see BrokerLogging. */
  public Path output() {
    return output;
  }

  /** Of the process started last, whether it still runs or not. */
  public long pid() {
    return process.pid();
  }

  /** Returns when the broker answers. A port that somebody took in between is no failure: others are drawn. */
  public void start() throws IOException, InterruptedException {
    for (int tried = 1; !startOnce(); tried++) {
      if (tried == STARTS_TRIED || !printedAddressInUse()) throw failure("the broker does not start");
    }
  }

  /** The controlled shutdown: the marker of a clean one must be there afterwards. */
  public void stop() throws IOException, InterruptedException {
    // Process.destroy() would close the standard input as well, to which the broker is tethered.
    process.toHandle().destroy();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) throw failure("the broker does not stop");
    if (!Files.exists(logDir().resolve(".kafka_cleanshutdown"))) throw failure("no clean shutdown");
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill() throws IOException, InterruptedException {
    process.toHandle().destroyForcibly();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) throw failure("the broker cannot be killed");
  }

  @Override
  public void close() {
    if (process != null) process.destroyForcibly();
  }

  /** False if the process ended instead. */
  private boolean startOnce() throws IOException, InterruptedException {
    settings.drawPorts();
    output = home.resolve("broker-" + ++runs + ".out");
    List<String> arguments = List.of(settings.file().toString());
    process = start(JavaProcess.of(BrokerLogging.OPTIONS, TetheredKafka.class.getName(), arguments));
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return answers();
  }

  private boolean answers() throws IOException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      var nodes = admin.describeCluster().nodes();
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (process.isAlive() && System.nanoTime() < deadline) {
        try {
          nodes.get(100, TimeUnit.MILLISECONDS);
          return true;
        } catch (TimeoutException notYet) {
          continue;
        }
      }
      if (process.isAlive()) throw failure("the broker does not answer");
      return false;
    } catch (ExecutionException problem) {
      throw failure("the broker does not answer: " + problem);
    }
  }

  private boolean printedAddressInUse() throws IOException {
    return Files.readString(output).contains("Address already in use");
  }

  private Process start(ProcessBuilder builder) throws IOException {
    return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  private IllegalStateException failure(String what) throws IOException {
    String text = Files.readString(output);
    return new IllegalStateException(what + "\n" + text.substring(Math.max(0, text.length() - LONGEST_OUTPUT_TOLD)));
  }
}
