package partitionlog.kafka.driver.time;

import org.apache.kafka.common.utils.Time;

/** Kafka's time, which stands until it is moved. It never goes back. Nothing may sleep in it. */
public final class StandingTime implements Time {
  private static final long NANOSECONDS_IN_MS = 1_000_000;

  private volatile long nowMs;

  public StandingTime(long nowMs) {
    this.nowMs = nowMs;
  }

  public void moveTo(long ms) {
    nowMs = Math.max(nowMs, ms);
  }

  @Override
  public long milliseconds() {
    return nowMs;
  }

  @Override
  public long nanoseconds() {
    return nowMs * NANOSECONDS_IN_MS;
  }

  @Override
  public void sleep(long ms) {
    throw new IllegalStateException("Kafka wants to sleep, and this time stands");
  }
}
