package partitionlog.kafka.bench.row.hot;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import partitionlog.kafka.bench.row.Row;
import partitionlog.kafka.bench.row.RowRequest;
import partitionlog.kafka.bench.row.Sample;

/** LogSegment.recover of a whole segment, as LogLoader calls it. */
final class RecoverRow implements Row {
  private static final double NS_PER_MS = 1e6;
  private static final double BYTES_PER_MS_A_MB_S = 1e3;
  private static final int TRANSACTION_MAX_TIMEOUT_MS = 900_000;
  private static final int PRODUCER_EXPIRATION_MS = 86_400_000;
  private static final TopicPartition PARTITION = new TopicPartition("bench", 0);

  private final KafkaScheduler scheduler = new KafkaScheduler(1);
  private final LogSegment segment;
  private final ProducerStateManager producers;
  private final LeaderEpochFileCache epochs;

  RecoverRow(RowRequest request, String data) throws Exception {
    File home = request.directory();
    segment = KafkaLog.openSegment(home, request.data(data));
    File own = Files.createDirectory(home.toPath().resolve("own")).toFile();
    producers = new ProducerStateManager(PARTITION, own, TRANSACTION_MAX_TIMEOUT_MS,
        new ProducerStateManagerConfig(PRODUCER_EXPIRATION_MS, false), Time.SYSTEM);
    File checkpoint = new File(own, "leader-epoch-checkpoint");
    epochs = new LeaderEpochFileCache(PARTITION, new LeaderEpochCheckpointFile(checkpoint, new LogDirFailureChannel(1)),
        scheduler);
    long until = System.nanoTime() + request.number("warmUpMs") * (long) NS_PER_MS;
    while (System.nanoTime() < until) round();
  }

  @Override
  public Sample round() throws Exception {
    long start = System.nanoTime();
    int truncated = segment.recover(producers, epochs);
    double ms = (System.nanoTime() - start) / NS_PER_MS;
    if (truncated != 0) throw new IllegalStateException("the segment is not sound");
    return Sample.of(segment.size() / ms / BYTES_PER_MS_A_MB_S, 1);
  }

  @Override
  public void close() throws IOException {
    segment.close();
  }
}
