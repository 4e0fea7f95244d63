package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One batch to encode: what it is made from, and the bytes that Kafka makes of it. */
interface EncodeCase {
  String name();

  ObjectNode inputs();

  ByteBuffer bytes() throws IOException;
}
