package partitionlog.kafka.bench.row;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import partitionlog.kafka.json.Json;

/**
 * Kafka as one contender of one row: what bench/work/worker.mjs is for ours, with the same argument and lines. Whatever
 * else is printed goes to standard error.
 */
public final class RowMain {
  private final PrintStream answers;

  private RowMain(PrintStream answers) {
    this.answers = answers;
  }

  public static void main(String[] args) {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    System.exit(new RowMain(answers).serve(args[0]));
  }

  /** The exit code. */
  private int serve(String request) {
    try {
      Row row = Rows.open(RowRequest.parse(request));
      answers.println(Json.object().put("ready", true));
      serveRounds(row);
      row.close();
      answers.println(Json.object().put("peakKib", ProcessUse.peakKib()));
      return 0;
    } catch (Absent absent) {
      answers.println(Json.object().put("absent", absent.getMessage()));
    } catch (Throwable fault) {
      StringWriter trace = new StringWriter();
      fault.printStackTrace(new PrintWriter(trace, true));
      answers.println(Json.object().put("fault", trace.toString()));
    }
    return 1;
  }

  private void serveRounds(Row row) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (lines.readLine() != null) answers.println(round(row));
  }

  private static ObjectNode round(Row row) throws Exception {
    long[] base = ProcessUse.calls();
    long[] before = ProcessUse.calls();
    Sample sample = row.round();
    long[] after = ProcessUse.calls();
    if (before == null || sample.hasCalls()) return sample.toJson();
    for (int n = 0; n < after.length; n++) {
      after[n] -= before[n] - base[n]; // reading the counts takes calls too
    }
    return sample.calls(before, after).toJson();
  }
}
