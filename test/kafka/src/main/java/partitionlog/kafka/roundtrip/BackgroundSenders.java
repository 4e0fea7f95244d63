package partitionlog.kafka.roundtrip;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** The producers that send until their broker is killed. */
final class BackgroundSenders {
  private final String bootstrapServers;
  private final List<BackgroundSender> senders = new ArrayList<>();

  BackgroundSenders(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  void add(TopicPartition partition, Map<String, Object> settings) {
    BackgroundSender sender = new BackgroundSender(bootstrapServers, partition, settings);
    senders.add(sender);
    sender.start();
  }

  List<BackgroundSender> all() {
    return List.copyOf(senders);
  }

  void awaitAcknowledged(int records) throws InterruptedException {
    for (BackgroundSender sender : senders) sender.awaitAcknowledged(records);
  }

  void abandon() {
    for (BackgroundSender sender : senders) sender.abandon();
    senders.clear();
  }
}
