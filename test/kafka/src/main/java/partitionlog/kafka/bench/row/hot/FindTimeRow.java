package partitionlog.kafka.bench.row.hot;

import java.util.Optional;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import partitionlog.kafka.bench.row.RowRequest;

/** UnifiedLog.fetchOffsetByTimestamp of times at random in a sealed segment. */
final class FindTimeRow extends LoopRow {
  private final KafkaLog opened;
  private final UnifiedLog log;
  private final Numbers offsets;

  FindTimeRow(RowRequest request, String data) throws Exception {
    super(request);
    opened = KafkaLog.openCopy(request.directory(), request.data(data));
    log = opened.log();
    offsets = new Numbers(0, log.activeSegment().baseOffset());
    if (call(1) != offsets.of(1)) throw new IllegalStateException("the time was not found");
  }

  @Override
  long call(int n) {
    return log.fetchOffsetByTimestamp(Shape.TIMESTAMP + offsets.of(n), Optional.empty()).timestampAndOffsetOpt()
        .orElseThrow().offset;
  }

  @Override
  public void close() throws Exception {
    opened.close();
  }
}
