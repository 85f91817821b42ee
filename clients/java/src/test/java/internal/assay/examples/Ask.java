package internal.assay.examples;

import com.google.protobuf.Duration;
import internal.assay.client.AssayClient;
import internal.assay.client.AssayException;
import internal.assay.common.v1.AnalysisRequest;
import internal.assay.common.v1.Constraints;
import internal.assay.common.v1.DataSource;
import internal.assay.common.v1.Job;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.arrow.memory.RootAllocator;

/** Uploads a CSV file, asks a question of it, and prints answer, table and verification. */
public final class Ask {
  private Ask() {}

  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: Ask SERVER FILE QUESTION; the token is read from ASSAY_TOKEN");
      System.exit(2);
    }
    String question = arguments[2];
    var options = AssayClient.to(arguments[0]).token(System.getenv().getOrDefault("ASSAY_TOKEN", ""));
    if (System.getenv("ASSAY_SERVER_AUTHORITY") != null) {
      options.authority(Path.of(System.getenv("ASSAY_SERVER_AUTHORITY")));
    }
    try (AssayClient client = options.open()) {
      String session = client.openSession(question).getSessionId();
      String file = client.upload(session, Path.of(arguments[1])).getFileId();
      show(client, client.ask(AnalysisRequest.newBuilder()
          .setIntent(question)
          .addDataSources(DataSource.newBuilder().setFileId(file))
          .setConstraints(Constraints.newBuilder().setTimeout(Duration.newBuilder().setSeconds(120)))
          .build(), session));
    } catch (AssayException refused) {
      System.err.println(refused.getMessage());
      System.exit(1);
    } catch (IOException unreadable) {
      System.err.println("cannot read " + unreadable.getMessage());
      System.exit(1);
    }
  }

  private static void show(AssayClient client, Job job) {
    if (job.hasClarification()) {
      System.out.println("unclear     " + job.getClarification().getQuestion());
      job.getClarification().getOptionsList().forEach(one -> System.out.println("            " + one.getText()));
      return;
    }
    if (job.hasFailure()) {
      System.err.println(job.getFailure().getReason() + ": " + job.getFailure().getMessage());
      System.exit(1);
    }
    System.out.println("understood  " + job.getUnderstood());
    job.getAnswer().getCaveatsList().forEach(caveat -> System.out.println("note        " + caveat));
    System.out.println("answer      " + job.getAnswer().getText());
    if (job.getAnswer().hasTable()) {
      try (var memory = new RootAllocator()) {
        client.readFrame(job.getJobId(), job.getAnswer().getTable(), memory,
            batch -> {
              try (var first = batch.slice(0, Math.min(20, batch.getRowCount()))) {
                System.out.print(first.contentToTSVString());
              }
            });
      }
    }
    client.verify(job.getJobId()).getChecksList()
        .forEach(check -> System.out.printf("%-11s %s%n", check.getName(), check.getDetail()));
  }
}
