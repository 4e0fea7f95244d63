package partitionlog.kafka.driver.ops;

import com.fasterxml.jackson.databind.JsonNode;
import partitionlog.kafka.driver.home.OpenLog;
import partitionlog.kafka.driver.request.Request;

/** One operation on the open log: the result's JSON, or what Kafka throws. */
public interface LogOperation {
  JsonNode run(OpenLog open, Request request) throws Exception;
}
