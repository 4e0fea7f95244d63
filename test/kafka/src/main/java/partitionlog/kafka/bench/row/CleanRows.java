package partitionlog.kafka.bench.row;

import java.util.Map;

/** Cleanings, and the map of keys that they fill. */
final class CleanRows {
  private CleanRows() {}

  static void addTo(Map<String, RowFactory> rows) {
    rows.put("clean-2gib-none", request -> new CleanRow(request, CleanRow.Measured.SECONDS));
    rows.put("clean-2gib-zstd", request -> new CleanRow(request, CleanRow.Measured.SECONDS));
    rows.put("clean-memory", request -> new CleanRow(request, CleanRow.Measured.MEMORY));
    rows.put("key-map-put", request -> new KeyMapRow(request, KeyMapRow.Timed.PUT));
    rows.put("key-map-get", request -> new KeyMapRow(request, KeyMapRow.Timed.GET));
  }
}
