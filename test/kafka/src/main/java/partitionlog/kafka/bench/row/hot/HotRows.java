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
      rows.put("translate-" + shape, request -> new TranslateRow(request, "sealed-" + shape).warmedUp());
      rows.put("find-time-" + shape, request -> new FindTimeRow(request, "sealed-" + shape).warmedUp());
      rows.put("tail-locate-" + shape, TailRow::locate);
      rows.put("tail-read-" + shape, TailRow::read);
    }
    for (String size : new String[] {"1x100", "100x100", "16k", "1x16k", "batches-1x100", "batches-16k"}) {
      rows.put("append-" + size, AppendRow::new);
    }
    rows.put("appender-64", TogetherRow::oneByOne);
    rows.put("appender-64-durable", TogetherRow::durable);
    rows.put("durable-64", TogetherRow::durable);
    rows.put("roll", RollRow::new);
    rows.put("encode", RecordsRow::encode);
    for (String way : new String[] {"lazy", "cursor", "eager"}) rows.put("iterate-" + way, RecordsRow::iterate);
    rows.put("index-random", IndexRow::random);
    rows.put("index-warm", IndexRow::warm);
  }
}
