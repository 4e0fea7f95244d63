package partitionlog.kafka.bench.row;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;

/**
 * Kafka's side of rows/key-map.mjs: fills a map with keys, and looks them up in another order; the keys, their order
 * and the parts that are timed are those of bench/work/key-map.mjs.
 */
final class KeyMapRow implements Row {
  enum Timed { PUT, GET }

  private static final int KEY_BYTES = 16;
  private static final int KEYS_A_CHUNK = 2_080;
  private static final long STRIDE = 2_654_437;

  private final Timed timed;
  private final int keys;
  private final int mapBytes;
  private final ByteBuffer chunk = ByteBuffer.allocate(KEYS_A_CHUNK * KEY_BYTES);

  KeyMapRow(RowRequest request, Timed timed) throws Exception {
    this.timed = timed;
    keys = (int) request.number("keys");
    mapBytes = (int) request.number("mapBytes");
    for (JsonNode count : request.options().get("warmUpKeys")) measure(count.asInt());
  }

  @Override
  public Sample round() throws Exception {
    return Sample.of(measure(keys) / (double) keys, keys);
  }

  @Override
  public void close() {}

  private long measure(int count) throws Exception {
    SkimpyOffsetMap map = new SkimpyOffsetMap(mapBytes, "MD5");
    long putNs = 0;
    for (int from = 0; from < count; from += KEYS_A_CHUNK) putNs += put(map, from, sizeOf(from, count));
    long getNs = 0;
    for (int from = 0; from < count; from += KEYS_A_CHUNK) getNs += get(map, from, count);
    if (map.size() != count) throw new IllegalStateException("keys are missing");
    return timed == Timed.PUT ? putNs : getNs;
  }

  private static int sizeOf(int from, int count) {
    return Math.min(KEYS_A_CHUNK, count - from);
  }

  private long put(SkimpyOffsetMap map, int from, int size) throws Exception {
    for (int i = 0; i < size; i++) writeKey(i, from + i);
    long start = System.nanoTime();
    for (int i = 0; i < size; i++) map.put(key(i), from + i);
    return System.nanoTime() - start;
  }

  private long get(SkimpyOffsetMap map, int from, int count) throws Exception {
    int size = sizeOf(from, count);
    int found = 0;
    for (int i = 0; i < size; i++) writeKey(i, (int) ((from + i) * STRIDE % count));
    long start = System.nanoTime();
    for (int i = 0; i < size; i++) if (map.get(key(i)) >= 0) found++;
    long ns = System.nanoTime() - start;
    if (found != size) throw new IllegalStateException("a key is missing");
    return ns;
  }

  private ByteBuffer key(int i) {
    return chunk.limit((i + 1) * KEY_BYTES).position(i * KEY_BYTES);
  }

  private void writeKey(int i, int n) {
    chunk.clear();
    chunk.putInt(i * KEY_BYTES, n).putInt(i * KEY_BYTES + 4, n * 0x9e3779b1).putInt(i * KEY_BYTES + 8, n ^ 0x5bd1e995)
        .putInt(i * KEY_BYTES + 12, n * 0x85ebca77);
  }
}
