package partitionlog.kafka.bench.row;

import java.util.HashMap;
import java.util.Map;
import partitionlog.kafka.bench.row.hot.HotRows;

/** The rows that Kafka takes part in, by id: a line a family. */
final class Rows {
  private static final Map<String, RowFactory> ROWS = all();

  private Rows() {}

  static Row open(RowRequest request) throws Exception {
    RowFactory factory = ROWS.get(request.id());
    if (factory == null) throw new IllegalArgumentException("no row of Kafka's is called " + request.id());
    return factory.open(request);
  }

  private static Map<String, RowFactory> all() {
    Map<String, RowFactory> rows = new HashMap<>();
    CleanRows.addTo(rows);
    OpenRows.addTo(rows);
    HotRows.addTo(rows);
    return rows;
  }
}
