package partitionlog.kafka.broker;

import java.io.IOException;

/**
 * Kafka's own main, in a process that also ends when its standard input does: no broker outlives the program that
 * started it, however that one ended. Listens to signals as Kafka does.
 */
public final class TetheredKafka {
  private TetheredKafka() {}

  public static void main(String[] arguments) {
    Thread tether = new Thread(TetheredKafka::haltAtEndOfInput, "tether");
    tether.setDaemon(true);
    tether.start();
    kafka.Kafka.main(arguments);
  }

  private static void haltAtEndOfInput() {
    try {
      while (System.in.read() >= 0) continue;
    } catch (IOException ended) {
      System.err.println("standard input: " + ended);
    }
    Runtime.getRuntime().halt(1);
  }
}
