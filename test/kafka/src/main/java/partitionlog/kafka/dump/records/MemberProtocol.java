package partitionlog.kafka.dump.records;

import java.io.IOException;
import java.util.Random;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolAssignmentJsonConverter;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.ConsumerProtocolSubscriptionJsonConverter;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/** What a classic consumer puts into a group's metadata: its subscription, and the assignment that it was given. */
final class MemberProtocol {
  private MemberProtocol() {}

  static byte[] subscription(RandomMessage messages, Random random) throws IOException {
    short version = version(random, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION);
    return bytes(ConsumerProtocolSubscriptionJsonConverter.read(
        messages.of("ConsumerProtocolSubscription", version), version), version, random);
  }

  static byte[] assignment(RandomMessage messages, Random random) throws IOException {
    short version = version(random, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION);
    return bytes(ConsumerProtocolAssignmentJsonConverter.read(
        messages.of("ConsumerProtocolAssignment", version), version), version, random);
  }

  private static short version(Random random, short highest) {
    return (short) random.nextInt(highest + 1);
  }

  /** With a version that is not known now and then: readers take it for the newest that they know. */
  private static byte[] bytes(Message message, short version, Random random) {
    byte[] bytes = MessageUtil.toVersionPrefixedBytes(version, message);
    if (random.nextInt(5) == 0) bytes[1] = (byte) (random.nextInt(8) - 2);
    return bytes;
  }
}
