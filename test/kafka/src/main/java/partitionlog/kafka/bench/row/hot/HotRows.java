package partitionlog.kafka.bench.row.hot;

import java.util.Map;
import partitionlog.kafka.bench.row.RowFactory;

/** Kafka's side of the hot paths: one class a row or two. */
public final class HotRows {
  private HotRows() {}

  public static void addTo(Map<String, RowFactory> rows) {
    for (String shape : new String[] {"300", "4k"}) {
      rows.put("recover-" + shape, request -> new RecoverRow(request, "log-" + shape));
      rows.put("scan-" + shape, request -> new ScanRow(request, "log-" + shape));
      rows.put("translate-" + shape, request -> new TranslateRow(request, "sealed-" + shape));
      rows.put("find-time-" + shape, request -> new FindTimeRow(request, "sealed-" + shape));
      rows.put("tail-locate-" + shape, TailRow::locate);
      rows.put("tail-read-" + shape, TailRow::read);
    }
    rows.put("index-random", IndexRow::random);
    rows.put("index-warm", IndexRow::warm);
  }
}
