package partitionlog.kafka.driver;

import java.io.IOException;
import org.apache.kafka.common.utils.internals.Exit;
import partitionlog.kafka.lines.JsonLines;

/** Serves Kafka's own log to a test that does the same to ours: one log at a time, many one after the other. */
public final class DriverMain {
  private DriverMain() {}

  public static void main(String[] args) throws IOException {
    Exit.setHaltProcedure(DriverMain::refuseToEnd);
    Exit.setExitProcedure(DriverMain::refuseToEnd);
    JsonLines.serve(new Driver());
    System.exit(0);
  }

  /** Kafka ends its process where no log directory is left; here that is the fault of one script only. */
  private static void refuseToEnd(int status, String message) {
    throw new IllegalStateException("Kafka wants to end the process: " + message);
  }
}
