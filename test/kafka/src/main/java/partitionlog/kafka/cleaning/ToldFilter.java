package partitionlog.kafka.cleaning;

import java.util.Set;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** A filter that decides nothing itself: records by their offsets, batches by their last ones. */
final class ToldFilter extends RecordFilter {
  private final Set<Long> keep;
  private final Set<Long> empty;
  private final Set<Long> markersOfNothing;

  ToldFilter(long nowMs, long deleteRetentionMs, Set<Long> keep, Set<Long> empty, Set<Long> markersOfNothing) {
    super(nowMs, deleteRetentionMs);
    this.keep = keep;
    this.empty = empty;
    this.markersOfNothing = markersOfNothing;
  }

  @Override
  protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
    boolean staysEmpty = empty.contains(batch.lastOffset());
    BatchRetention retention = staysEmpty ? BatchRetention.RETAIN_EMPTY : BatchRetention.DELETE_EMPTY;
    return new BatchRetentionResult(retention, markersOfNothing.contains(batch.lastOffset()));
  }

  @Override
  protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
    return keep.contains(record.offset());
  }
}
