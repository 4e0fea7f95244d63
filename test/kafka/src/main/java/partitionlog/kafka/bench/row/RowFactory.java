package partitionlog.kafka.bench.row;

/** Sets up a row and warms it up. */
@FunctionalInterface
public interface RowFactory {
  Row open(RowRequest request) throws Exception;
}
