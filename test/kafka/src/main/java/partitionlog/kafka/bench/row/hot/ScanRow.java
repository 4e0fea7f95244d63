package partitionlog.kafka.bench.row.hot;

import java.io.File;
import java.io.IOException;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/** FileRecords.batches over a whole segment, with what a search by time asks of each: its last offset and its time. */
final class ScanRow implements Row {
  private static final long NS_PER_MS = 1_000_000;

  private final FileRecords records;

  ScanRow(RowRequest request, String data) throws Exception {
    records = FileRecords.open(new File(request.data(data), "bench-0/00000000000000000000.log"), false);
    long until = System.nanoTime() + request.number("warmUpMs") * NS_PER_MS;
    while (System.nanoTime() < until) round();
  }

  @Override
  public Sample round() {
    long start = System.nanoTime();
    int batches = 0;
    long largest = 0;
    long last = -1;
    for (FileChannelRecordBatch batch : records.batches()) {
      batches++;
      largest = Math.max(largest, batch.maxTimestamp());
      last = batch.lastOffset();
    }
    long ns = System.nanoTime() - start;
    if (largest != Shape.TIMESTAMP + last) throw new IllegalStateException("the headers are not those written");
    return Sample.of((double) ns / batches, batches);
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
