package partitionlog.kafka.driver.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.server.storage.log.UnexpectedAppendOffsetException;
import org.apache.kafka.storage.internals.log.OffsetsOutOfOrderException;
import org.apache.kafka.storage.internals.log.RecordValidationException;

/** Tells what Kafka refuses from what broke: only a refusal is an answer. */
public final class Refusals {
  private Refusals() {}

  /** Something that Kafka was given to judge, such as bytes from the wire. */
  public interface Judged<T> {
    T get() throws Exception;
  }

  /** Marks whatever Kafka throws there: a broker answers any of it with an error. */
  private static final class Judgement extends RuntimeException {
    Judgement(RuntimeException thrown) {
      super(thrown);
    }
  }

  /** To hand Kafka what may be nonsense: every unchecked exception is then a refusal. */
  public static <T> T judged(Judged<T> judged) throws Exception {
    try {
      return judged.get();
    } catch (RuntimeException thrown) {
      throw new Judgement(thrown);
    }
  }

  /** Writes the refusal into the answer; throws what is none. */
  public static void put(ObjectNode answer, Exception thrown) throws Exception {
    if (!isRefusal(thrown)) throw thrown;
    Throwable refusal = thrown instanceof Judgement ? thrown.getCause() : thrown;
    answer.put("refused", refusal.getClass().getSimpleName()).put("message", refusal.getMessage());
    Throwable cause = cause(refusal);
    if (cause != null) answer.put("cause", cause.getClass().getSimpleName());
  }

  private static boolean isRefusal(Exception thrown) {
    return thrown instanceof Judgement
        || thrown instanceof KafkaException
        || thrown instanceof UnexpectedAppendOffsetException
        || thrown instanceof OffsetsOutOfOrderException
        || thrown instanceof RecordValidationException
        || isKafkasIllegalArgument(thrown);
  }

  /** One thrown by Java, or by this driver, is a fault. */
  private static boolean isKafkasIllegalArgument(Exception thrown) {
    if (thrown.getClass() != IllegalArgumentException.class || thrown.getStackTrace().length == 0) return false;
    return thrown.getStackTrace()[0].getClassName().startsWith("org.apache.kafka.");
  }

  private static Throwable cause(Throwable refusal) {
    return refusal instanceof RecordValidationException invalid ? invalid.invalidException() : refusal.getCause();
  }
}
