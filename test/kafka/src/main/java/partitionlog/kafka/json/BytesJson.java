package partitionlog.kafka.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** Bytes as JSON: null, base64, or for long ones their SHA-256 and length. */
public final class BytesJson {
  private static final int LONGEST_IN_FULL = 1024;

  private BytesJson() {}

  /** Reads a duplicate: the buffer's position does not move. */
  public static JsonNode of(ByteBuffer buffer) {
    if (buffer == null) return JsonNodeFactory.instance.nullNode();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return of(bytes);
  }

  public static JsonNode of(byte[] bytes) {
    return bytes == null || bytes.length <= LONGEST_IN_FULL ? inFull(bytes) : digest(bytes);
  }

  /** Never a digest: for the inputs of an encoder, which must be there whole. */
  public static JsonNode inFull(byte[] bytes) {
    if (bytes == null) return JsonNodeFactory.instance.nullNode();
    return JsonNodeFactory.instance.textNode(Base64.getEncoder().encodeToString(bytes));
  }

  private static JsonNode digest(byte[] bytes) {
    try {
      byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(bytes);
      return Json.object().put("sha256", HexFormat.of().formatHex(sha256)).put("length", bytes.length);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
