package partitionlog.kafka.bench.row;

import java.util.Map;

/** Opening after a clean close. */
final class OpenRows {
  private static final int[] MANY = {500, 1_000, 1_900};

  private OpenRows() {}

  static void addTo(Map<String, RowFactory> rows) {
    for (int logs : MANY) rows.put("open-many-" + logs, request -> new OpenRow(request, request.id()));
    rows.put("open-10000-segments", request -> new OpenRow(request, request.id()));
  }
}
