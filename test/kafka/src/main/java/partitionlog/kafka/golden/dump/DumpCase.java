package partitionlog.kafka.golden.dump;

import java.util.ArrayList;
import java.util.List;

/** A call of the dump tool: a name for its output, and its arguments, with paths relative to the golden folder. */
record DumpCase(String name, List<String> arguments) {

  static DumpCase of(String name, String files, String... options) {
    List<String> arguments = new ArrayList<>(List.of("--files", files));
    arguments.addAll(List.of(options));
    return new DumpCase(name, arguments);
  }
}
