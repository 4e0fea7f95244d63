package partitionlog.kafka.golden.topics;

import java.util.Random;
import partitionlog.kafka.broker.Entry;

/** Bytes to write, the same in every run. */
final class Payload {
  private Payload() {}

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Text that compresses well, yet is no single repeated line. */
  static byte[] text(int length) {
    StringBuilder text = new StringBuilder();
    for (int line = 0; text.length() < length; line++) text.append("line ").append(line % 97).append(" of the log\n");
    return Entry.bytes(text.substring(0, length));
  }
}
