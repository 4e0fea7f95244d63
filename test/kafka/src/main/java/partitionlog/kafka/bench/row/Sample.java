package partitionlog.kafka.bench.row;

import com.fasterxml.jackson.databind.node.ObjectNode;
import partitionlog.kafka.json.Json;

/** What one round gave: a value in the row's unit, and more figures of it. */
public final class Sample {
  private final ObjectNode figures = Json.object();
  private final ObjectNode extra = Json.object();
  private final double operations;

  private Sample(double value, double operations) {
    this.operations = operations;
    figures.put("value", value).put("operations", operations);
  }

  public static Sample of(double value, double operations) {
    return new Sample(value, operations);
  }

  /** p50, p99 and max of single operations; the times are forgotten. */
  public Sample with(Latencies latencies) {
    latencies.writeTo(figures);
    return this;
  }

  /** What must be equal in all rounds and contenders of a row. */
  public Sample check(long value) {
    figures.put("check", value);
    return this;
  }

  public Sample extra(String name, double value) {
    extra.put(name, value);
    return this;
  }

  /** System calls between two counts of `ProcessUse.calls`, where those around the round would say too much. */
  public Sample calls(long[] before, long[] after) {
    figures.put("readCalls", (after[0] - before[0]) / operations);
    figures.put("writeCalls", (after[1] - before[1]) / operations);
    return this;
  }

  /** System calls mean nothing here. */
  public Sample withoutCalls() {
    figures.putNull("readCalls").putNull("writeCalls");
    return this;
  }

  boolean hasCalls() {
    return figures.has("readCalls");
  }

  ObjectNode toJson() {
    if (!extra.isEmpty()) figures.set("extra", extra);
    return figures;
  }
}
