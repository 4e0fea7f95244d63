package partitionlog.kafka.bench.row.hot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.storage.internals.log.LogSegment;
import partitionlog.kafka.bench.row.RowRequest;

/** Reading at random among the last bytes of an active segment that this process has written. */
abstract class TailRow extends LoopRow {
  final LogSegment segment;
  final Numbers offsets;
  private final KafkaLog opened;

  private TailRow(RowRequest request) throws Exception {
    super(request);
    opened = KafkaLog.create(request.directory(), Map.of());
    Shape shape = Shape.of(request.id());
    int batchBytes = shape.batch(0).sizeInBytes();
    long batches = request.number("logBytes") / batchBytes;
    for (long n = 0; n < batches; n++) opened.log().appendAsLeader(shape.batch(n * shape.records()), KafkaLog.EPOCH);
    segment = opened.log().activeSegment();
    long tail = request.number("tailBytes") / batchBytes;
    offsets = new Numbers((batches - tail) * shape.records(), (batches - 2) * shape.records());
  }

  @Override
  public final void close() throws Exception {
    opened.close();
  }

  /** LogSegment.translateOffset. */
  static LoopRow locate(RowRequest request) throws Exception {
    return new TailRow(request) {
      @Override
      long call(int n) throws IOException {
        return segment.translateOffset(offsets.of(n)).position;
      }
    }.warmedUp();
  }

  /** LogSegment.read and the bytes of it, at most 4 KB. */
  static LoopRow read(RowRequest request) throws Exception {
    return new TailRow(request) {
      private static final int MAX_BYTES = 4096;

      @Override
      long call(int n) throws IOException {
        FileRecords records = (FileRecords) segment
            .read(offsets.of(n), MAX_BYTES, Optional.of((long) segment.size()), true).records;
        ByteBuffer bytes = ByteBuffer.allocate(Math.min(MAX_BYTES, records.sizeInBytes()));
        records.readInto(bytes, 0);
        return bytes.limit();
      }
    }.warmedUp();
  }
}
