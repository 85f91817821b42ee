package internal.assay.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Duration;
import internal.assay.client.AssayClient;
import internal.assay.client.Resuming;
import internal.assay.common.v1.AnalysisRequest;
import internal.assay.common.v1.Artifact;
import internal.assay.common.v1.Constraints;
import internal.assay.common.v1.DataSource;
import internal.assay.common.v1.Job;
import internal.assay.common.v1.JobEvent;
import internal.assay.common.v1.Policy;
import internal.assay.gateway.v1.AnswerJobRequest;
import internal.assay.gateway.v1.AskRequest;
import internal.assay.gateway.v1.AskResponse;
import internal.assay.gateway.v1.CreateJobRequest;
import internal.assay.gateway.v1.File;
import internal.assay.gateway.v1.FileColumn;
import internal.assay.gateway.v1.FileRow;
import internal.assay.gateway.v1.FileTable;
import internal.assay.gateway.v1.JobServiceGrpc;
import internal.assay.gateway.v1.Session;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** The calls that the script knows; clients/conformance/README.md says what each gives. */
final class Verbs {
  private final AssayClient client;
  private final Path fixtures;

  Verbs(AssayClient client, Path fixtures) {
    this.client = client;
    this.fixtures = fixtures;
  }

  JsonElement call(String name, JsonObject with) throws Exception {
    return switch (name) {
      case "id" -> told("id", AssayClient.newId());
      case "session" -> session(with);
      case "upload" -> file(client.upload(text(with, "session"), fixtures.resolve(text(with, "name"))));
      case "upload_made" -> uploadMade(with);
      case "preview" -> preview(with);
      case "ask" -> Shapes.ofJob(client.ask(question(with), text(with, "session")));
      case "submit" -> told("job", submit(with).getJobId());
      case "watch" -> watch(with);
      case "leave" -> leave(with);
      case "job" -> Shapes.ofJob(client.job(text(with, "job")));
      case "cancel" -> told("job", client.cancel(text(with, "job")).getJobId());
      case "answer" -> answer(with);
      case "verify" -> verify(with);
      case "download" -> download(with);
      case "file" -> downloadFile(with);
      case "say" -> say(with);
      case "frame" -> frame(with);
      default -> throw new IllegalArgumentException("no call is named " + name);
    };
  }

  private JsonElement session(JsonObject with) {
    Session session = client.openSession(text(with, "title"));
    JsonObject told = told("session", session.getSessionId());
    told.addProperty("title", session.getTitle());
    return told;
  }

  private static JsonElement file(File file) {
    JsonObject told = told("file", file.getFileId());
    told.addProperty("name", file.getOriginalName());
    told.addProperty("rows", file.getRowCount());
    told.addProperty("duplicate", file.getDuplicate());
    told.addProperty("sha256", file.getContentHash());
    told.addProperty("bytes", file.getSizeBytes());
    return told;
  }

  private JsonElement uploadMade(JsonObject with) throws Exception {
    String rows = text(with, "line").repeat(with.get("times").getAsInt());
    byte[] content = (text(with, "head") + rows).getBytes(StandardCharsets.UTF_8);
    long size = with.get("announced").getAsBoolean() ? content.length : -1;
    return file(client.upload(text(with, "session"), text(with, "name"), new ByteArrayInputStream(content), size));
  }

  private JsonElement preview(JsonObject with) {
    JsonArray tables = new JsonArray();
    for (FileTable table : client.preview(text(with, "file")).getTablesList()) {
      JsonObject told = new JsonObject();
      JsonArray columns = new JsonArray();
      for (FileColumn column : table.getColumnsList()) {
        columns.add(column.getName() + " " + column.getDataType().name().replace("COLUMN_DATA_TYPE_", ""));
      }
      JsonArray rows = new JsonArray();
      for (FileRow row : table.getRowsList()) {
        JsonArray cells = new JsonArray();
        row.getCellsList().forEach(cell -> cells.add(cell.hasText() ? new JsonPrimitive(cell.getText()) : JsonNull.INSTANCE));
        rows.add(cells);
      }
      told.addProperty("rows", table.getRowCount());
      told.add("columns", columns);
      told.add("first", rows);
      tables.add(told);
    }
    JsonObject told = new JsonObject();
    told.add("tables", tables);
    return told;
  }

  /** What a step asks, of uploaded files. */
  private static AnalysisRequest question(JsonObject with) {
    AnalysisRequest.Builder made = AnalysisRequest.newBuilder()
        .setIntent(text(with, "question")).setStatement(text(with, "statement")).addAllDataSources(sources(with));
    made.setAssume(with.has("assume") && with.get("assume").getAsBoolean());
    if (with.has("blocked")) {
      made.setPolicy(Policy.newBuilder().addAllBlockedPatterns(texts(with, "blocked")));
    }
    if (with.has("timeout")) {
      Duration limit = Duration.newBuilder().setSeconds(with.get("timeout").getAsLong()).build();
      made.setConstraints(Constraints.newBuilder().setTimeout(limit));
    }
    return made.build();
  }

  private static List<DataSource> sources(JsonObject with) {
    return texts(with, "files").stream().map(id -> DataSource.newBuilder().setFileId(id).build()).toList();
  }

  private Job submit(JsonObject with) {
    return client.submit(CreateJobRequest.newBuilder()
        .setRequestId(text(with, "request")).setSessionId(text(with, "session")).setAnalysis(question(with)).build());
  }

  private JsonElement watch(JsonObject with) {
    JsonArray sequences = new JsonArray();
    String last = "";
    long end = 0;
    try (Resuming<JobEvent> events = client.watch(text(with, "job"), with.has("after") ? with.get("after").getAsLong() : 0)) {
      while (events.hasNext()) {
        JobEvent event = events.next();
        end = event.getSequence();
        sequences.add(end);
        last = switch (event.getEventCase()) {
          case ANSWER -> "answer";
          case FAILURE -> "failure";
          case CLARIFICATION -> "clarification";
          default -> last;
        };
      }
    }
    JsonObject told = told("last", last);
    told.addProperty("end", end);
    told.add("sequences", sequences);
    return told;
  }

  /** Watches so many events and no more. */
  private JsonElement leave(JsonObject with) {
    JsonArray sequences = new JsonArray();
    try (Resuming<JobEvent> events = client.watch(text(with, "job"), 0)) {
      while (sequences.size() < with.get("events").getAsInt() && events.hasNext()) {
        sequences.add(events.next().getSequence());
      }
    }
    JsonObject told = new JsonObject();
    told.add("last", sequences.get(sequences.size() - 1));
    told.add("sequences", sequences);
    return told;
  }

  private JsonElement answer(JsonObject with) {
    // No use of repeated: a second answer could do something else than the first.
    AnswerJobRequest request = AnswerJobRequest.newBuilder()
        .setJobId(text(with, "job")).setOptionId(text(with, "option")).build();
    return told("job", client.once(() -> JobServiceGrpc.newBlockingStub(client.channel()).answerJob(request)).getJob().getJobId());
  }

  private JsonElement verify(JsonObject with) {
    var found = client.verify(text(with, "job"));
    JsonObject checks = new JsonObject();
    found.getChecksList().forEach(check -> checks.addProperty(check.getName(), check.getOk()));
    JsonObject told = new JsonObject();
    told.addProperty("ok", found.getOk());
    told.add("checks", checks);
    return told;
  }

  /** Fetches the artifact of a media type. */
  private JsonElement download(JsonObject with) throws Exception {
    for (Artifact artifact : client.job(text(with, "job")).getAnswer().getArtifactsList()) {
      if (artifact.getMediaType().equals(text(with, "type"))) {
        var content = new ByteArrayOutputStream();
        client.download(artifact, content);
        JsonObject told = told("first", content.toString(StandardCharsets.UTF_8).split("\r?\n", 2)[0]);
        told.addProperty("bytes", content.size());
        return told;
      }
    }
    return told("missing", text(with, "type"));
  }

  /** Fetches an uploaded file again. */
  private JsonElement downloadFile(JsonObject with) throws Exception {
    var content = new ByteArrayOutputStream();
    client.downloadFile(text(with, "file"), content);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
    return told("sha256", HexFormat.of().formatHex(digest));
  }

  private JsonElement say(JsonObject with) {
    AskRequest.Builder request = AskRequest.newBuilder().setConversationId(text(with, "conversation"))
        .setSessionId(text(with, "session")).setContent(text(with, "content"));
    if (with.has("files")) {
      request.setTerms(AnalysisRequest.newBuilder().addAllDataSources(sources(with)));
    }
    JsonArray kinds = new JsonArray();
    String conversation = "";
    String jobId = "";
    try (Resuming<AskResponse> told = client.say(request.build())) {
      while (told.hasNext()) {
        AskResponse one = told.next();
        if (!one.hasEvent()) {
          kinds.add(one.getToldCase().name().toLowerCase(java.util.Locale.ROOT));
        }
        if (one.hasAsked()) {
          conversation = one.getAsked().getConversation().getConversationId();
        } else if (one.hasResponse()) {
          jobId = one.getResponse().getJobId();
        }
      }
    }
    JsonObject made = told("conversation", conversation);
    made.add("kinds", kinds);
    made.add("turn", Shapes.ofJob(client.job(jobId)));
    return made;
  }

  /** The table of a job's answer or an Arrow file, with types and values as the script has them. */
  private JsonElement frame(JsonObject with) {
    Shapes.Frame made = new Shapes.Frame();
    try (var memory = new org.apache.arrow.memory.RootAllocator()) {
      if (with.has("file")) {
        client.readFileFrame(text(with, "file"), memory, made::take);
      } else {
        Job job = client.job(text(with, "job"));
        client.readFrame(job.getJobId(), job.getAnswer().getTable(), memory, made::take);
      }
    }
    return made.told(with.has("brief") && with.get("brief").getAsBoolean());
  }

  private static JsonObject told(String name, String value) {
    JsonObject made = new JsonObject();
    made.addProperty(name, value);
    return made;
  }

  private static String text(JsonObject with, String name) {
    return Main.text(with, name, "");
  }

  private static List<String> texts(JsonObject with, String name) {
    JsonArray given = with.has(name) ? with.getAsJsonArray(name) : new JsonArray();
    return Stream.of(given.asList().toArray(new JsonElement[0])).map(JsonElement::getAsString).toList();
  }
}
