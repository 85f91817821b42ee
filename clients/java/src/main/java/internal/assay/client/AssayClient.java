package internal.assay.client;

import internal.assay.common.v1.AnalysisRequest;
import internal.assay.common.v1.Artifact;
import internal.assay.common.v1.FrameRef;
import internal.assay.common.v1.Job;
import internal.assay.common.v1.JobEvent;
import internal.assay.gateway.v1.ArtifactServiceGrpc;
import internal.assay.gateway.v1.AskRequest;
import internal.assay.gateway.v1.AskResponse;
import internal.assay.gateway.v1.AuditServiceGrpc;
import internal.assay.gateway.v1.CancelJobRequest;
import internal.assay.gateway.v1.ConversationServiceGrpc;
import internal.assay.gateway.v1.CreateJobRequest;
import internal.assay.gateway.v1.CreateSessionRequest;
import internal.assay.gateway.v1.File;
import internal.assay.gateway.v1.FileServiceGrpc;
import internal.assay.gateway.v1.GetJobRequest;
import internal.assay.gateway.v1.JobServiceGrpc;
import internal.assay.gateway.v1.PreviewFileRequest;
import internal.assay.gateway.v1.PreviewFileResponse;
import internal.assay.gateway.v1.Session;
import internal.assay.gateway.v1.SessionServiceGrpc;
import internal.assay.gateway.v1.VerifyJobRequest;
import internal.assay.gateway.v1.VerifyJobResponse;
import internal.assay.gateway.v1.WatchJobRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A connection to a mesh. Its methods throw {@link AssayException}. {@link #channel()} is for stubs of other
 * services; a call of theirs within {@link #repeated} is made again and tells its reason like those here. A
 * deadline of the current {@link Context} bounds what is called in it.
 */
public final class AssayClient implements AutoCloseable {
  private static final String SECURE = "https://";

  private final ManagedChannel connection;
  private final Channel channel;
  private final Patience patience;
  private final Duration deadline;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(AssayClient::daemon);
  private final JobServiceGrpc.JobServiceBlockingStub jobs;
  private final ConversationServiceGrpc.ConversationServiceBlockingStub conversations;
  private final Files files;
  private final Frames frames;

  private AssayClient(Builder options) throws IOException {
    boolean secure = options.target.startsWith(SECURE);
    var credentials = !secure ? InsecureChannelCredentials.create()
        : options.authority == null ? TlsChannelCredentials.create()
        : TlsChannelCredentials.newBuilder().trustManager(options.authority.toFile()).build();
    String target = secure ? options.target.substring(SECURE.length()) : options.target;
    connection = Grpc.newChannelBuilder(target, credentials).keepAliveTime(30, TimeUnit.SECONDS).build();
    channel = ClientInterceptors.intercept(connection, new Calling(options.token, options.user, options.deadline));
    patience = options.patience;
    deadline = options.deadline;
    jobs = JobServiceGrpc.newBlockingStub(channel);
    conversations = ConversationServiceGrpc.newBlockingStub(channel);
    files = new Files(channel, patience);
    frames = new Frames(ArtifactServiceGrpc.newBlockingStub(channel), patience);
  }

  /** A client of the gateway at host:port, or at https://host:port for TLS. */
  public static Builder to(String target) {
    return new Builder(target);
  }

  /** A fresh id as requests want it: whoever repeats a request with its id makes nothing twice. */
  public static String newId() {
    return Calling.newId();
  }

  /** For stubs of any service of the mesh: calls on it have this client's caller and deadlines. */
  public Channel channel() {
    return channel;
  }

  /** What a call with one answer gives, made again while nobody serves; only for what may be repeated. */
  public <T> T repeated(Supplier<T> call) {
    if (Context.current().getDeadline() != null) {
      return patience.repeated(call);
    }
    var bounded = Context.current().withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS, clock);
    Context before = bounded.attach();
    try {
      return patience.repeated(call);
    } finally {
      bounded.detach(before);
      bounded.cancel(null);
    }
  }

  /** What a call gives that must not be made a second time, such as answering a question back. */
  public <T> T once(Supplier<T> call) {
    return Patience.NONE.repeated(call);
  }

  /** Stores a job and starts it. A request without an id gets one: repeating it makes nothing twice. */
  public Job submit(CreateJobRequest request) {
    CreateJobRequest named = request.getRequestId().isEmpty()
        ? request.toBuilder().setRequestId(newId()).build() : request;
    return repeated(() -> jobs.createJob(named)).getJob();
  }

  /** Submits a question and watches it until it is answered, fails or waits for a person; the job then. */
  public Job ask(AnalysisRequest question, String sessionId) {
    Job job = submit(CreateJobRequest.newBuilder().setSessionId(sessionId).setAnalysis(question).build());
    try (Resuming<JobEvent> events = watch(job.getJobId(), 0)) {
      while (events.hasNext()) {
        events.next(); // what happens on the way is for those who watch
      }
    }
    return job(job.getJobId());
  }

  /** Events after a sequence number, each once, also through broken connections; close it. */
  public Resuming<JobEvent> watch(String jobId, long after) {
    return Watching.watch(jobs, patience, jobId, after);
  }

  /** A job as it stands. */
  public Job job(String jobId) {
    return repeated(() -> jobs.getJob(GetJobRequest.newBuilder().setJobId(jobId).build())).getJob();
  }

  /** Stops a job; what was finished is kept. */
  public Job cancel(String jobId) {
    return repeated(() -> jobs.cancelJob(CancelJobRequest.newBuilder().setJobId(jobId).build())).getJob();
  }

  /** Checks a job's chain, its place in the tree, its artifacts and its claims. */
  public VerifyJobResponse verify(String jobId) {
    var audit = AuditServiceGrpc.newBlockingStub(channel);
    return repeated(() -> audit.verifyJob(VerifyJobRequest.newBuilder().setJobId(jobId).build()));
  }

  /** Opens a session, which holds files and jobs. */
  public Session openSession(String title) {
    var sessions = SessionServiceGrpc.newBlockingStub(channel);
    var request = CreateSessionRequest.newBuilder().setRequestId(newId()).setTitle(title).build();
    return repeated(() -> sessions.createSession(request)).getSession();
  }

  /**
   * Stores a file of this machine in a session. Equal content under the same name is the file that is there
   * already, so a broken upload is made again from its beginning.
   */
  public File upload(String sessionId, Path path) throws IOException {
    return files.upload(sessionId, path);
  }

  /** Stores what a stream gives under a name in a session; its size is negative where it is not known. */
  public File upload(String sessionId, String name, InputStream content, long size) throws IOException {
    return files.upload(sessionId, name, content, size);
  }

  /** What a file holds: tables, columns and first rows. */
  public PreviewFileResponse preview(String fileId) {
    var stub = FileServiceGrpc.newBlockingStub(channel);
    return repeated(() -> stub.previewFile(PreviewFileRequest.newBuilder().setFileId(fileId).build()));
  }

  /** Fetches an uploaded file; a stream that breaks goes on behind what came. */
  public void downloadFile(String fileId, OutputStream to) throws IOException {
    files.downloadFile(fileId, to);
  }

  /** Fetches an artifact, checked against its hash; use nothing of what was written where this throws. */
  public void download(Artifact artifact, OutputStream to) throws IOException {
    files.download(artifact, to);
  }

  /**
   * A frame of a job, batch by batch; a batch is good until the next. Without rows the schema alone is shown, as
   * an empty batch. A transfer that breaks goes on behind the last whole batch.
   */
  public void readFrame(String jobId, FrameRef frame, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    frames.ofJob(jobId, frame, memory, batch);
  }

  /** An Arrow file of a session, batch by batch, as {@link #readFrame}. */
  public void readFileFrame(String fileId, BufferAllocator memory, Consumer<VectorSchemaRoot> batch) {
    frames.ofFile(fileId, memory, batch);
  }

  /**
   * Says something in a conversation, a new one where the request names none: what comes of it. A stream that
   * breaks goes on; nothing is told twice. Close it.
   */
  public Resuming<AskResponse> say(AskRequest request) {
    return Watching.say(conversations, patience, request);
  }

  @Override
  public void close() {
    connection.shutdownNow();
    clock.shutdownNow();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "assay-deadlines");
    thread.setDaemon(true);
    return thread;
  }

  /** Who calls, and how patiently. */
  public static final class Builder {
    private final String target;
    private String token = "";
    private String user = "";
    private Path authority;
    private Duration deadline = Duration.ofMinutes(1);
    private Patience patience = Patience.USUAL;

    private Builder(String target) {
      this.target = target;
    }

    /** An API key or a signed token; it says who calls. */
    public Builder token(String token) {
      this.token = token;
      return this;
    }

    /** Who asks where there is no token; "local" where it is not given, as whom the command assay asks too. */
    public Builder user(String user) {
      this.user = user;
      return this;
    }

    /** A PEM file of the authority that signed the server's certificate; else those that Java knows. */
    public Builder authority(Path authority) {
      this.authority = authority;
      return this;
    }

    /** Bounds a call with one answer, with its repetitions; a minute where it is not given. */
    public Builder deadline(Duration deadline) {
      this.deadline = deadline;
      return this;
    }

    /** Pauses before a call or a stream is made again while nobody serves; none to repeat nothing. */
    public Builder retryDelays(List<Duration> delays) {
      this.patience = new Patience(delays);
      return this;
    }

    /** The client; the connection is made by the first call. Throws where the authority cannot be read. */
    public AssayClient open() throws IOException {
      return new AssayClient(this);
    }
  }
}
