package partitionlog.kafka.bench.row;

/** Kafka cannot take part in a row on this machine, which is no failure. */
public final class Absent extends Exception {
  private static final long serialVersionUID = 1;

  public Absent(String why) {
    super(why);
  }
}
