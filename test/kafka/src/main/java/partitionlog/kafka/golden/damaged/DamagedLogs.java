package partitionlog.kafka.golden.damaged;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import partitionlog.kafka.golden.LogFiles;

/**
 * Copies of one segment that the broker wrote, each with one fault, for the dump tool and for recovery. Only the files
 * that the fault concerns, and those needed to see it, are there.
 */
public final class DamagedLogs {
  private static final int OFFSET_ENTRY = 8;
  private static final int TIME_ENTRY = 12;
  private static final int PREALLOCATED = 400;

  private final Path folder;
  private final long baseOffset;
  private final byte[] log;
  private final byte[] index;
  private final byte[] timeIndex;

  /** `partition` is a folder that holds a sealed segment of this base offset, with at least ten index entries. */
  public DamagedLogs(Path partition, long baseOffset, Path folder) throws IOException {
    this.folder = folder;
    this.baseOffset = baseOffset;
    log = read(partition, "log");
    index = read(partition, "index");
    timeIndex = read(partition, "timeindex");
  }

  public void write() throws IOException {
    write("crc", "log", withFlippedByte(log, log.length / 2));
    write("torn", "log", Arrays.copyOf(log, log.length - 10));
    write("length", "log", withInt(log, secondBatch() + 8, Integer.MAX_VALUE - 20));
    write("zeros", "log", Arrays.copyOf(log, log.length + 100));
    writeIndexes("index-position", withInt(index, 4 * OFFSET_ENTRY + 4, 1), timeIndex);
    writeIndexes("index-offset", withInt(index, 4 * OFFSET_ENTRY, 16), timeIndex);
    writeIndexes("index-preallocated", preallocated(index, OFFSET_ENTRY), preallocated(timeIndex, TIME_ENTRY));
    writeIndexes("index-length", Arrays.copyOf(index, index.length - 3), Arrays.copyOf(timeIndex, timeIndex.length - 5));
    writeIndexes("index-below-base", withInt(index, index.length - OFFSET_ENTRY, -5), timeIndex);
    writeIndexes("timeindex-order", index, withInt(timeIndex, 4 * TIME_ENTRY + 4, 0));
    writeIndexes("timeindex-offset", index, withInt(timeIndex, 4 * TIME_ENTRY + 8, 13));
  }

  private void writeIndexes(String fault, byte[] offsets, byte[] times) throws IOException {
    write(fault, "log", log);
    write(fault, "index", offsets);
    write(fault, "timeindex", times);
  }

  private void write(String fault, String suffix, byte[] bytes) throws IOException {
    LogFiles.write(LogFiles.file(folder, fault, baseOffset, suffix), bytes);
  }

  private int secondBatch() {
    return 12 + ByteBuffer.wrap(log).getInt(8);
  }

  /** As an index is while its segment is active: zeros up to the size that whole entries fill. */
  private static byte[] preallocated(byte[] entries, int entrySize) {
    return Arrays.copyOf(entries, PREALLOCATED / entrySize * entrySize);
  }

  private static byte[] withFlippedByte(byte[] bytes, int at) {
    byte[] copy = bytes.clone();
    copy[at] ^= (byte) 0xff;
    return copy;
  }

  private static byte[] withInt(byte[] bytes, int at, int value) {
    byte[] copy = bytes.clone();
    ByteBuffer.wrap(copy).putInt(at, value);
    return copy;
  }

  private byte[] read(Path partition, String suffix) throws IOException {
    return Files.readAllBytes(partition.resolve(String.format("%020d.%s", baseOffset, suffix)));
  }
}
