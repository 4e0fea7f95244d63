package partitionlog.kafka.bench.row;

/** Kafka's side of one row: set up and warmed up when it is there; each round is measured by itself. */
public interface Row {
  Sample round() throws Exception;

  void close() throws Exception;
}
