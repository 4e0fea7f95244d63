package partitionlog.kafka.driver.time;

import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** One task of the scheduler: once, or again after each period. Ordered by time, then by when it was asked for. */
final class StepTask implements ScheduledFuture<Void> {
  private final String name;
  private final Runnable action;
  private final long periodMs;
  private final long number;
  private final StandingTime time;
  private long dueMs;
  private volatile boolean cancelled;

  StepTask(String name, Runnable action, long dueMs, long periodMs, long number, StandingTime time) {
    this.name = name;
    this.action = action;
    this.dueMs = dueMs;
    this.periodMs = periodMs;
    this.number = number;
    this.time = time;
  }

  String name() {
    return name;
  }

  long dueMs() {
    return dueMs;
  }

  /** KafkaScheduler only logs what a task throws; here it must not pass for a refusal of the operation. */
  void run() {
    try {
      action.run();
    } catch (RuntimeException failed) {
      throw new IllegalStateException("the background task " + name + " failed", failed);
    }
  }

  boolean isPeriodic() {
    return periodMs > 0;
  }

  /** From when it was due and not from when it ran, as KafkaScheduler has it with a fixed rate. */
  void again() {
    dueMs = dueMs > Long.MAX_VALUE - periodMs ? Long.MAX_VALUE : dueMs + periodMs;
  }

  /** Leaves out every run until then but the last. False where the next one is the last. */
  boolean skipToLastBy(long untilMs) {
    long skipped = isPeriodic() ? (untilMs - dueMs) / periodMs : 0;
    dueMs += skipped * periodMs;
    return skipped > 0;
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(dueMs - time.milliseconds(), TimeUnit.MILLISECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    StepTask task = (StepTask) other;
    return dueMs == task.dueMs ? Long.compare(number, task.number) : Long.compare(dueMs, task.dueMs);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    cancelled = true;
    return true;
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public boolean isDone() {
    return cancelled;
  }

  @Override
  public Void get() {
    throw new IllegalStateException("nobody waits for a task of this scheduler");
  }

  @Override
  public Void get(long timeout, TimeUnit unit) {
    return get();
  }
}
