package partitionlog.kafka.bench.row.hot;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import partitionlog.kafka.bench.row.RowRequest;

/** Records of one batch in memory: built, or read one by one; a call is a batch, what counts is a record. */
abstract class RecordsRow extends LoopRow {
  private static final int VALUE_BYTES = 100;

  final Shape shape;

  private RecordsRow(RowRequest request) {
    super(request);
    shape = Shape.plain((int) request.number("records"), VALUE_BYTES);
  }

  @Override
  final int countedInCall() {
    return shape.records();
  }

  @Override
  public final void close() {}

  /** MemoryRecordsBuilder over a buffer that is there, as a producer's pool gives it. */
  static LoopRow encode(RowRequest request) throws Exception {
    return new RecordsRow(request) {
      private final ByteBuffer buffer = ByteBuffer.allocate(shape.batchBytes());

      @Override
      long call(int n) {
        buffer.clear();
        return shape.encode(buffer, Shape.TIMESTAMP, 1).sizeInBytes();
      }
    }.warmedUp();
  }

  /** DefaultRecordBatch.iterator: Kafka has no other way to read records that are not compressed. */
  static LoopRow iterate(RowRequest request) throws Exception {
    return new RecordsRow(request) {
      private final ByteBuffer bytes = shape.batch(0).buffer();

      @Override
      long call(int n) {
        long sum = 0;
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
          for (Record record : batch) sum += record.offset() + record.valueSize();
        }
        return sum;
      }
    }.warmedUp();
  }
}
