package partitionlog.kafka.broker;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** What a producer is told to write as one record. Key, value and a header's value may be null. */
public record Entry(long timestamp, byte[] key, byte[] value, Header... headers) {

  public static Entry of(long timestamp, String key, String value) {
    return new Entry(timestamp, bytes(key), bytes(value));
  }

  public static Header header(String key, byte[] value) {
    return new RecordHeader(key, value);
  }

  public static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
