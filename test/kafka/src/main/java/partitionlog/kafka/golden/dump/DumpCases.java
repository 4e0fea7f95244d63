package partitionlog.kafka.golden.dump;

import java.util.ArrayList;
import java.util.List;

/** Which files are dumped, and how. */
final class DumpCases {
  private static final String FIRST = "00000000000000000000";
  private static final String DATA = "--print-data-log";

  private DumpCases() {}

  static List<DumpCase> all() {
    List<DumpCase> cases = new ArrayList<>();
    addLogs(cases);
    addTransactions(cases);
    addIndexes(cases);
    addMaxBytes(cases);
    addLegacy(cases);
    addDamaged(cases);
    addCalls(cases);
    return cases;
  }

  private static void addLogs(List<DumpCase> cases) {
    cases.add(DumpCase.of("codecs", log("codecs")));
    cases.add(DumpCase.of("codecs-deep", log("codecs"), "--deep-iteration"));
    cases.add(DumpCase.of("records", log("records")));
    cases.add(DumpCase.of("records-data", log("records"), DATA));
    cases.add(DumpCase.of("records-data-skip-metadata", log("records"), DATA, "--skip-record-metadata"));
    cases.add(DumpCase.of("logappendtime-data", log("logappendtime"), DATA));
    cases.add(DumpCase.of("compacted", log("compacted")));
    cases.add(DumpCase.of("compacted-data", log("compacted"), DATA));
    cases.add(DumpCase.of("deleted-deep", log("deleted"), "--deep-iteration"));
    cases.add(DumpCase.of("empty", log("empty"), DATA));
    cases.add(DumpCase.of("segments-last-deep", broker("segments", "00000000000000000297.log"), "--deep-iteration"));
  }

  private static void addTransactions(List<DumpCase> cases) {
    cases.add(DumpCase.of("txn", log("txn") + "," + broker("txn", "00000000000000000017.log")));
    cases.add(DumpCase.of("txn-data", log("txn"), DATA));
    cases.add(DumpCase.of("txn-data-skip-metadata", log("txn"), DATA, "--skip-record-metadata"));
    cases.add(DumpCase.of("txn-index", broker("txn", FIRST + ".txnindex")));
    cases.add(DumpCase.of("txn-snapshot", broker("txn", "00000000000000000017.snapshot")));
    cases.add(DumpCase.of("opentxn-snapshot", broker("opentxn", "00000000000000000005.snapshot")));
    cases.add(DumpCase.of("compacted-snapshot", broker("compacted", "00000000000000000040.snapshot")));
    cases.add(DumpCase.of("kraft-control-data", "control/kraft-0/" + FIRST + ".log", DATA));
  }

  private static void addIndexes(List<DumpCase> cases) {
    for (String suffix : List.of("index", "timeindex")) {
      String sealed = broker("segments", "00000000000000000099." + suffix);
      cases.add(DumpCase.of("segments-" + suffix, sealed));
      cases.add(DumpCase.of("segments-" + suffix + "-sanity", sealed, "--index-sanity-check"));
      cases.add(DumpCase.of("segments-" + suffix + "-verify-only", sealed, "--verify-index-only"));
      cases.add(DumpCase.of("empty-" + suffix, broker("empty", FIRST + "." + suffix)));
      cases.add(DumpCase.of("compacted-" + suffix, broker("compacted", FIRST + "." + suffix)));
      cases.add(DumpCase.of("records-" + suffix, broker("records", FIRST + "." + suffix)));
    }
    String several = String.join(",", log("deleted"), broker("deleted", FIRST + ".index"),
        broker("deleted", FIRST + ".timeindex"), broker("deleted", "00000000000000000015.snapshot"));
    cases.add(DumpCase.of("deleted-all-files", several));
  }

  private static void addMaxBytes(List<DumpCase> cases) {
    cases.add(DumpCase.of("max-bytes-500", log("segments"), "--max-bytes", "500"));
    cases.add(DumpCase.of("max-bytes-1", log("segments"), "--max-bytes", "1"));
    cases.add(DumpCase.of("max-bytes-0", log("segments"), "--max-bytes", "0"));
    cases.add(DumpCase.of("max-bytes-data", log("records"), "--max-bytes", "600", DATA));
  }

  private static void addLegacy(List<DumpCase> cases) {
    for (String name : List.of("magic0-none", "magic1-gzip")) {
      String file = "legacy/" + name + "-0/00000000000000000100.log";
      cases.add(DumpCase.of("legacy-" + name, file));
      cases.add(DumpCase.of("legacy-" + name + "-data", file, DATA));
    }
    cases.add(DumpCase.of("legacy-mixed", "legacy/mixed-0/" + FIRST + ".log"));
    cases.add(DumpCase.of("legacy-mixed-deep", "legacy/mixed-0/" + FIRST + ".log", "--deep-iteration"));
    cases.add(DumpCase.of("legacy-appendtime-gzip-data", "legacy/appendtime-gzip-0/" + FIRST + ".log", DATA));
    cases.add(DumpCase.of("legacy-gaps-deep", "legacy/gaps-magic1-0/" + FIRST + ".log", "--deep-iteration"));
  }

  private static void addDamaged(List<DumpCase> cases) {
    for (String fault : List.of("crc", "torn", "length", "zeros")) {
      cases.add(DumpCase.of("damaged-" + fault, damaged(fault, "log"), "--deep-iteration"));
    }
    List<String> indexFaults =
        List.of("index-position", "index-offset", "index-preallocated", "index-length", "index-below-base");
    for (String fault : indexFaults) addDamagedIndex(cases, fault, "index");
    for (String fault : List.of("timeindex-order", "timeindex-offset", "index-preallocated", "index-length")) {
      addDamagedIndex(cases, fault, "timeindex");
    }
  }

  private static void addDamagedIndex(List<DumpCase> cases, String fault, String suffix) {
    String name = "damaged-" + fault + "-" + suffix;
    cases.add(DumpCase.of(name, damaged(fault, suffix)));
    cases.add(DumpCase.of(name + "-sanity", damaged(fault, suffix), "--index-sanity-check"));
    cases.add(DumpCase.of(name + "-verify-only", damaged(fault, suffix), "--verify-index-only"));
  }

  private static void addCalls(List<DumpCase> cases) {
    cases.add(new DumpCase("call-no-arguments", List.of()));
    cases.add(new DumpCase("call-help", List.of("--help")));
    cases.add(new DumpCase("call-version", List.of("--version")));
    cases.add(DumpCase.of("call-unknown-option", log("empty"), "--no-such-option"));
    cases.add(DumpCase.of("call-no-extension", "README"));
    cases.add(DumpCase.of("call-unknown-suffix", "broker-4.4.0/meta.properties"));
    cases.add(DumpCase.of("call-missing-file", "nowhere-0/" + FIRST + ".log"));
    cases.add(DumpCase.of("call-missing-file-first", "nowhere-0/" + FIRST + ".log," + log("deleted")));
    cases.add(DumpCase.of("call-name-is-no-offset", "encode/cases.log"));
  }

  private static String log(String topic) {
    return broker(topic, FIRST + ".log");
  }

  private static String broker(String topic, String file) {
    return "broker-4.4.0/" + topic + "-0/" + file;
  }

  private static String damaged(String fault, String suffix) {
    return "damaged/" + fault + "-0/00000000000000000099." + suffix;
  }
}
