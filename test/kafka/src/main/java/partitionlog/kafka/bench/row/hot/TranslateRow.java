package partitionlog.kafka.bench.row.hot;

import java.io.IOException;
import org.apache.kafka.storage.internals.log.LogSegment;
import partitionlog.kafka.bench.row.RowRequest;

/** LogSegment.translateOffset at random in a sealed segment. */
final class TranslateRow extends LoopRow {
  private final LogSegment segment;
  private final Numbers offsets;

  TranslateRow(RowRequest request, String data) throws Exception {
    super(request);
    segment = KafkaLog.openSegment(request.directory(), request.data(data));
    offsets = new Numbers(0, segment.readNextOffset());
  }

  @Override
  long call(int n) throws IOException {
    return segment.translateOffset(offsets.of(n)).position;
  }

  @Override
  public void close() throws IOException {
    segment.close();
  }
}
