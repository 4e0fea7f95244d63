package partitionlog.kafka.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import partitionlog.kafka.json.Json;

/**
 * Fills a map of a broker's default size with keys, and looks them up in another order; the keys, their order and the
 * parts that are timed are those of `bench/clean/map-worker.mjs`.
 */
final class MapFill {
  static final int MAP_BYTES = 134_217_728;
  private static final int KEY_BYTES = 16;
  private static final int KEYS_A_CHUNK = 2_080;
  private static final long STRIDE = 2_654_437;

  private final SkimpyOffsetMap map;
  private final int keys;
  private final ByteBuffer chunk = ByteBuffer.allocate(KEYS_A_CHUNK * KEY_BYTES);
  private long found;

  private MapFill(int keys) throws Exception {
    this.keys = keys;
    map = new SkimpyOffsetMap(MAP_BYTES, "MD5");
  }

  static JsonNode measure(int keys) throws Exception {
    MapFill fill = new MapFill(keys);
    long putNs = 0;
    for (int from = 0; from < keys; from += KEYS_A_CHUNK) putNs += fill.put(from, Math.min(KEYS_A_CHUNK, keys - from));
    long getNs = 0;
    for (int from = 0; from < keys; from += KEYS_A_CHUNK) getNs += fill.get(from, Math.min(KEYS_A_CHUNK, keys - from));
    if (fill.found != keys || fill.map.size() != keys) throw new IllegalStateException("keys are missing");
    return Json.object().put("putNs", (double) putNs / keys).put("getNs", (double) getNs / keys);
  }

  private long put(int from, int count) throws Exception {
    for (int i = 0; i < count; i++) writeKey(i, from + i);
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) map.put(key(i), from + i);
    return System.nanoTime() - start;
  }

  private long get(int from, int count) throws Exception {
    for (int i = 0; i < count; i++) writeKey(i, (int) ((from + i) * STRIDE % keys));
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) if (map.get(key(i)) >= 0) found++;
    return System.nanoTime() - start;
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
