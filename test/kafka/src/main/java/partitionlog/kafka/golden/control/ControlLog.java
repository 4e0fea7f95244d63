package partitionlog.kafka.golden.control;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.internal.MemoryRecords;
import partitionlog.kafka.golden.LogFiles;

/** A log of KRaft's own control records: control batches that are no transaction markers. */
public final class ControlLog {
  private static final long TIME = 1_700_000_000_000L;
  private static final int EPOCH = 3;
  private static final int LARGE_ENOUGH = 512;

  private ControlLog() {}

  public static void write(Path folder) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (MemoryRecords batch : batches()) bytes.writeBytes(copy(batch.buffer()));
    LogFiles.write(LogFiles.file(folder, "kraft", 0, "log"), bytes.toByteArray());
  }

  private static List<MemoryRecords> batches() {
    return List.of(
        MemoryRecords.withSnapshotHeaderRecord(0, TIME, EPOCH, buffer(),
            new SnapshotHeaderRecord().setLastContainedLogTimestamp(TIME - 1)),
        MemoryRecords.withLeaderChangeMessage(1, TIME + 1, EPOCH, buffer(), leaderChange()),
        MemoryRecords.withKRaftVersionRecord(2, TIME + 2, EPOCH, buffer(),
            new KRaftVersionRecord().setKRaftVersion((short) 1)),
        MemoryRecords.withVotersRecord(3, TIME + 3, EPOCH, buffer(), voters()),
        MemoryRecords.withSnapshotFooterRecord(4, TIME + 4, EPOCH, buffer(), new SnapshotFooterRecord()));
  }

  private static LeaderChangeMessage leaderChange() {
    var voter = new LeaderChangeMessage.Voter().setVoterId(1);
    return new LeaderChangeMessage().setLeaderId(1).setVoters(List.of(voter)).setGrantingVoters(List.of(voter));
  }

  private static VotersRecord voters() {
    return new VotersRecord().setVoters(List.of(new VotersRecord.Voter().setVoterId(1)));
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocate(LARGE_ENOUGH);
  }

  private static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
