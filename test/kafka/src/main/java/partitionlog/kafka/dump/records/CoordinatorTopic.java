package partitionlog.kafka.dump.records;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordJsonConverters;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;

/** The two topics in which coordinators keep their state, and their records by Kafka's own classes. */
public enum CoordinatorTopic {
  GROUP(groupTypes(), CoordinatorRecordJsonConverters::readRecordKeyFromJson,
      CoordinatorRecordJsonConverters::readRecordValueFromJson),

  /** Kafka's classes have the same names as for groups, in another package. */
  TRANSACTION(transactionTypes(),
      org.apache.kafka.coordinator.transaction.generated.CoordinatorRecordJsonConverters::readRecordKeyFromJson,
      org.apache.kafka.coordinator.transaction.generated.CoordinatorRecordJsonConverters::readRecordValueFromJson);

  private final List<RecordType> types;
  private final KeyReader keys;
  private final ValueReader values;

  CoordinatorTopic(List<RecordType> types, KeyReader keys, ValueReader values) {
    this.types = types;
    this.keys = keys;
    this.values = values;
  }

  /** Every type of record, also those that no broker of today writes. */
  List<RecordType> types() {
    return types;
  }

  ApiMessage key(JsonNode json, RecordType type) {
    return keys.read(json, type.id());
  }

  ApiMessage value(JsonNode json, RecordType type, short version) {
    return values.read(json, type.id(), version);
  }

  private static List<RecordType> groupTypes() {
    return Arrays.stream(CoordinatorRecordType.values())
        .map(type -> new RecordType(
            type.name(), type.id(), type.lowestSupportedVersion(), type.highestSupportedVersion()))
        .toList();
  }

  private static List<RecordType> transactionTypes() {
    return Arrays.stream(org.apache.kafka.coordinator.transaction.generated.CoordinatorRecordType.values())
        .map(type -> new RecordType(
            type.name(), type.id(), type.lowestSupportedVersion(), type.highestSupportedVersion()))
        .toList();
  }

  private interface KeyReader {
    ApiMessage read(JsonNode json, short type);
  }

  private interface ValueReader {
    ApiMessage read(JsonNode json, short type, short version);
  }

  /** A type of record with the versions that its value may have. */
  record RecordType(String name, short id, short lowestVersion, short highestVersion) {

    /** Name of Kafka's message for the key or value: `OFFSET_COMMIT` has `OffsetCommitKey`. */
    String message(String part) {
      StringBuilder camelCase = new StringBuilder();
      for (String word : name.split("_")) camelCase.append(word.charAt(0)).append(word.substring(1).toLowerCase());
      return camelCase + part;
    }
  }
}
