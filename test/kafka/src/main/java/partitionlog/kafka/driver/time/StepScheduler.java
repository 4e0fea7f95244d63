package partitionlog.kafka.driver.time;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.apache.kafka.server.util.Scheduler;

/**
 * Kafka's background tasks, on the one thread of the driver. Nothing runs while it is being scheduled, not even what
 * has no delay: that runs when the operation is over, as on a broker, where it would wait for the log's lock. (Kafka's
 * own mock runs it at once, inside the operation.) Time steps from task to task, so each sees the time it was due at.
 */
public final class StepScheduler implements Scheduler {
  public static final String HIGH_WATERMARK_CHECKPOINT = "highwatermark-checkpoint";
  public static final String RETENTION = "kafka-log-retention";
  /** They only write down what the log says at that moment; nothing reads it before time stands again. */
  private static final Set<String> ONLY_THE_LAST_IS_SEEN = Set.of(
      "kafka-recovery-point-checkpoint", "kafka-log-start-offset-checkpoint", HIGH_WATERMARK_CHECKPOINT);

  private final StandingTime time;
  private final PriorityQueue<StepTask> tasks = new PriorityQueue<>();
  private final Map<String, Runnable> periodic = new HashMap<>();
  private long scheduled;
  private boolean stopped;

  public StepScheduler(StandingTime time) {
    this.time = time;
  }

  @Override
  public void startup() {}

  /** Drops what waits, and whatever comes later, as KafkaScheduler does. */
  @Override
  public synchronized void shutdown() {
    stopped = true;
    tasks.clear();
  }

  @Override
  public void resizeThreadPool(int size) {}

  /** Kafka's loading threads call this too. */
  @Override
  public synchronized ScheduledFuture<?> schedule(String name, Runnable action, long delayMs, long periodMs) {
    StepTask task = new StepTask(name, action, later(Math.max(0, delayMs)), periodMs, scheduled++, time);
    if (!stopped) tasks.add(task);
    if (task.isPeriodic()) periodic.put(name, action);
    return task;
  }

  /** Runs what is due by now, and what that starts. */
  public void runDue() {
    runUntil(time.milliseconds());
  }

  /** Moves time on; every task that becomes due on the way runs, at its own time, in the order of their times. */
  public void advance(long ms) {
    long end = later(ms);
    runUntil(end);
    time.moveTo(end);
  }

  /** Runs a periodic task once more, beside its times. */
  public void runNow(String name) {
    periodic.get(name).run();
  }

  private void runUntil(long end) {
    for (StepTask task = nextUntil(end); task != null; task = nextUntil(end)) {
      time.moveTo(task.dueMs());
      task.run();
      if (task.isPeriodic() && !task.isCancelled()) addAgain(task);
    }
  }

  private synchronized StepTask nextUntil(long end) {
    while (!tasks.isEmpty() && tasks.peek().dueMs() <= end) {
      StepTask task = tasks.poll();
      if (task.isCancelled()) continue;
      if (!ONLY_THE_LAST_IS_SEEN.contains(task.name()) || !task.skipToLastBy(end)) return task;
      tasks.add(task);
    }
    return null;
  }

  private synchronized void addAgain(StepTask task) {
    task.again();
    if (!stopped) tasks.add(task);
  }

  private long later(long ms) {
    long now = time.milliseconds();
    return ms > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + ms;
  }
}
