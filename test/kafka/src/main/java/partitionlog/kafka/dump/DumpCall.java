package partitionlog.kafka.dump;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.DumpLogSegments;
import partitionlog.kafka.json.Json;

/**
 * One call of DumpLogSegments within this JVM: what it printed and what it would have exited with. An exception that it
 * does not catch is told as a JVM tells it that ends by it, without the lines of the stack trace.
 */
final class DumpCall {
  private static final int EXIT_CODE_OF_AN_EXCEPTION = 1;

  private final List<String> args;
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();

  DumpCall(List<String> args) {
    this.args = args;
  }

  /** `stdout` and `stderr` in base64, since they may hold what ends a line for some reader; `exitCode`. */
  ObjectNode run() {
    PrintStream out = System.out;
    PrintStream err = System.err;
    System.setOut(new PrintStream(stdout, false, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(stderr, false, StandardCharsets.UTF_8));
    Exit.setExitProcedure((code, message) -> { throw new Exited(code); });
    Exit.setHaltProcedure((code, message) -> { throw new Exited(code); });
    try {
      int exitCode = call();
      System.out.flush();
      System.err.flush();
      return Json.object().put("stdout", stdout.toByteArray()).put("stderr", messages()).put("exitCode", exitCode);
    } finally {
      Exit.resetExitProcedure();
      Exit.resetHaltProcedure();
      System.setOut(out);
      System.setErr(err);
    }
  }

  private int call() {
    try {
      DumpLogSegments.main(args.toArray(String[]::new));
      return 0;
    } catch (Exited exited) {
      return exited.code;
    } catch (Throwable uncaught) {
      System.err.print("Exception in thread \"main\" ");
      uncaught.printStackTrace();
      return EXIT_CODE_OF_AN_EXCEPTION;
    }
  }

  private byte[] messages() {
    return stderr.toString(StandardCharsets.UTF_8).lines()
        .filter(line -> !line.startsWith("\tat ") && !line.startsWith("\t... "))
        .map(line -> line + "\n")
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Stands for the end of the process; an Error, so that nothing in between takes it for a failure of its own. */
  private static final class Exited extends Error {
    private static final long serialVersionUID = 1;

    private final int code;

    Exited(int code) {
      super("exit " + code, null, false, false);
      this.code = code;
    }
  }
}
