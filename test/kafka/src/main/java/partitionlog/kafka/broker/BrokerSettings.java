package partitionlog.kafka.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings file of a single-node KRaft broker on loopback, with everything it stores under one folder. Its ports are
 * drawn anew for each start: what was free once need not be later.
 */
final class BrokerSettings {
  private final Path home;
  private int brokerPort;

  BrokerSettings(Path home) throws IOException {
    this.home = home;
    drawPorts();
  }

  void drawPorts() throws IOException {
    try (ServerSocket broker = anyPort(); ServerSocket controller = anyPort()) {
      brokerPort = broker.getLocalPort();
      Files.write(file(), lines(controller.getLocalPort()));
    }
  }

  Path file() {
    return home.resolve("server.properties");
  }

  /** The metadata log lives beside it in a folder of its own, so that only topics are in here. */
  Path logDir() {
    return home.resolve("data");
  }

  String bootstrapServers() {
    return "127.0.0.1:" + brokerPort;
  }

  private List<String> lines(int controllerPort) {
    return List.of(
        "process.roles=broker,controller",
        "node.id=1",
        "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
        "listeners=PLAINTEXT://127.0.0.1:" + brokerPort + ",CONTROLLER://127.0.0.1:" + controllerPort,
        "controller.listener.names=CONTROLLER",
        "log.dirs=" + logDir(),
        "metadata.log.dir=" + home.resolve("metadata"),
        "auto.create.topics.enable=false",
        "transaction.state.log.replication.factor=1",
        "transaction.state.log.min.isr=1",
        "transaction.state.log.num.partitions=1",
        "offsets.topic.replication.factor=1",
        "offsets.topic.num.partitions=1",
        // On a slow machine retention would come due while a test looks at what it deletes.
        "log.initial.task.delay.ms=600000",
        "log.retention.ms=-1",
        "log.message.timestamp.after.max.ms=" + Long.MAX_VALUE,
        "log.cleaner.backoff.ms=100",
        "log.cleaner.dedupe.buffer.size=16777216");
  }

  private static ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}
