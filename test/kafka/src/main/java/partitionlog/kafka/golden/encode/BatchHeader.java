package partitionlog.kafka.golden.encode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.RecordBatch;
import partitionlog.kafka.json.Json;

/** The inputs of a batch beside its records. Starts from the plainest batch; each method changes one thing of a copy. */
record BatchHeader(
    long baseOffset, int partitionLeaderEpoch, Compression codec,
    TimestampType timestampType, long logAppendTime, long deleteHorizonMs,
    long producerId, short producerEpoch, int baseSequence, boolean isTransactional) {

  static final BatchHeader PLAIN = new BatchHeader(
      0, RecordBatch.NO_PARTITION_LEADER_EPOCH, Compression.NONE,
      TimestampType.CREATE_TIME, RecordBatch.NO_TIMESTAMP, RecordBatch.NO_TIMESTAMP,
      RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, false);

  BatchHeader at(long offset, int leaderEpoch) {
    return new BatchHeader(offset, leaderEpoch, codec, timestampType, logAppendTime, deleteHorizonMs,
        producerId, producerEpoch, baseSequence, isTransactional);
  }

  BatchHeader compressed(Compression with) {
    return new BatchHeader(baseOffset, partitionLeaderEpoch, with, timestampType, logAppendTime, deleteHorizonMs,
        producerId, producerEpoch, baseSequence, isTransactional);
  }

  BatchHeader appendedAt(long time) {
    return new BatchHeader(baseOffset, partitionLeaderEpoch, codec, TimestampType.LOG_APPEND_TIME, time,
        deleteHorizonMs, producerId, producerEpoch, baseSequence, isTransactional);
  }

  BatchHeader horizon(long ms) {
    return new BatchHeader(baseOffset, partitionLeaderEpoch, codec, timestampType, logAppendTime, ms,
        producerId, producerEpoch, baseSequence, isTransactional);
  }

  BatchHeader producer(long id, int epoch, int sequence) {
    return new BatchHeader(baseOffset, partitionLeaderEpoch, codec, timestampType, logAppendTime, deleteHorizonMs,
        id, (short) epoch, sequence, isTransactional);
  }

  BatchHeader transactional() {
    return new BatchHeader(baseOffset, partitionLeaderEpoch, codec, timestampType, logAppendTime, deleteHorizonMs,
        producerId, producerEpoch, baseSequence, true);
  }

  /** A time that is not set is null in JSON: here -1 can also be meant. */
  void putInto(ObjectNode json) {
    json.put("baseOffset", Json.int64(baseOffset))
        .put("partitionLeaderEpoch", partitionLeaderEpoch)
        .put("codec", codec.type().name)
        .put("timestampType", timestampType.name)
        .put("logAppendTime", timestampType == TimestampType.LOG_APPEND_TIME ? Json.int64(logAppendTime) : null)
        .put("deleteHorizonMs", deleteHorizonMs == RecordBatch.NO_TIMESTAMP ? null : Json.int64(deleteHorizonMs))
        .put("producerId", Json.int64(producerId))
        .put("producerEpoch", producerEpoch)
        .put("baseSequence", baseSequence)
        .put("isTransactional", isTransactional);
  }
}
