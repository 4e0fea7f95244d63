package partitionlog.kafka.broker;

import java.util.List;

/**
 * What a broker process prints: warnings and errors of everything, and all that it says of the logs it loads, rolls,
 * cleans and serves. One line a message, `[LEVEL] logger - text`; lines of stack traces follow it.
 */
final class BrokerLogging {
  static final List<String> OPTIONS = List.of(
      "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
      level("org.apache.kafka.storage", "info"),
      level("kafka.log", "info"),
      level("kafka.cluster.Partition", "info"),
      level("kafka.server.ReplicaManager", "info"),
      "-Dorg.slf4j.simpleLogger.levelInBrackets=true",
      "-Dorg.slf4j.simpleLogger.showThreadName=false",
      "-Dorg.slf4j.simpleLogger.showDateTime=false");

  private BrokerLogging() {}

  private static String level(String logger, String level) {
    return "-Dorg.slf4j.simpleLogger.log." + logger + "=" + level;
  }
}
