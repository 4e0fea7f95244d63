package partitionlog.kafka.bench.row.hot;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import partitionlog.kafka.bench.row.RowRequest;

/** OffsetIndex.lookup of offsets at random among the last entries, or among all. */
final class IndexRow extends LoopRow {
  /** Fewer than the 8 KB that Kafka looks at first. */
  private static final int WARM_ENTRIES = 1000;
  private static final int ALL = 0;

  private final OffsetIndex index;
  private final Numbers offsets;

  private IndexRow(RowRequest request, int among) throws Exception {
    super(request);
    File file = new File(request.directory(), "00000000000000000000.index");
    Files.copy(request.data("offset-index").toPath(), file.toPath());
    index = new OffsetIndex(file, 0);
    int first = among == ALL ? 0 : index.entries() - among;
    offsets = new Numbers(index.entry(first).offset(), index.entry(index.entries() - 1).offset());
  }

  static LoopRow random(RowRequest request) throws Exception {
    return new IndexRow(request, ALL).warmedUp();
  }

  static LoopRow warm(RowRequest request) throws Exception {
    return new IndexRow(request, WARM_ENTRIES).warmedUp();
  }

  @Override
  long call(int n) {
    return index.lookup(offsets.of(n)).position();
  }

  @Override
  public void close() throws IOException {
    index.close();
  }
}
