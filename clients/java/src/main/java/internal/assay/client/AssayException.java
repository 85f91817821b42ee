package internal.assay.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A refusal or failure of a call. Branch on its reason; its words are for people and may change. */
public final class AssayException extends RuntimeException {
  public static final String UNAVAILABLE = "SERVICE_UNAVAILABLE";
  public static final String TIMEOUT = "TIMEOUT";
  public static final String CANCELLED = "CANCELLED";
  public static final String INTERNAL = "INTERNAL";
  public static final String VERIFICATION_FAILED = "VERIFICATION_FAILED";
  public static final String NOT_READABLE = "SOURCE_NOT_READABLE";

  private static final long serialVersionUID = 1L;
  private static final String DOMAIN = "assay.internal";

  private final String reason;
  private final Status.Code code;
  private final String plain;
  private String remedy = "";
  private final LinkedHashMap<String, String> fields = new LinkedHashMap<>();
  private final HashMap<String, String> particulars = new HashMap<>();
  private boolean retryable;
  private Duration retryAfter = Duration.ZERO;

  AssayException(String reason, Status.Code code, String message, String remedy, Throwable cause) {
    super(reason + ": " + (remedy.isEmpty() ? message : message.replaceAll("\\.+$", "") + ". " + remedy), cause);
    this.reason = reason;
    this.code = code;
    this.plain = message;
    this.remedy = remedy;
  }

  /** Stable; docs/errors.md lists them. */
  public String reason() {
    return reason;
  }

  /** gRPC's status. */
  public Status.Code code() {
    return code;
  }

  /** What is wrong and where. */
  public String plainMessage() {
    return plain;
  }

  /** What to do; may be empty. */
  public String remedy() {
    return remedy;
  }

  /** The fields of the request that are wrong, by their full paths. */
  public Map<String, String> fields() {
    return Map.copyOf(fields);
  }

  /** Further particulars by name. */
  public Map<String, String> particulars() {
    return Map.copyOf(particulars);
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return retryable;
  }

  /** How long to wait before that; zero where the server does not say. */
  public Duration retryAfter() {
    return retryAfter;
  }

  /** The AssayException behind what a call threw. */
  static AssayException of(Throwable thrown) {
    if (thrown instanceof AssayException known) {
      return known;
    }
    Status transport = told(Status.fromThrowable(thrown));
    com.google.rpc.Status said = StatusProto.fromThrowable(thrown);
    ErrorInfo info = detail(said, ErrorInfo.class);
    boolean ours = info != null && info.getDomain().equals(DOMAIN);
    String words = transport.getDescription() == null ? "the server failed." : transport.getDescription();
    Map<String, String> metadata = ours ? info.getMetadataMap() : Map.of();
    AssayException made = new AssayException(
        ours ? info.getReason() : foreign(transport.getCode()), transport.getCode(), words,
        metadata.getOrDefault("remedy", ""), thrown);
    made.particulars.putAll(metadata);
    made.particulars.remove("remedy");
    RetryInfo again = detail(said, RetryInfo.class);
    made.retryable = again != null || transport.getCode() == Status.Code.UNAVAILABLE;
    if (again != null) {
      made.retryAfter = Duration.ofSeconds(again.getRetryDelay().getSeconds(), again.getRetryDelay().getNanos());
    }
    BadRequest wrong = detail(said, BadRequest.class);
    if (wrong != null) {
      wrong.getFieldViolationsList().forEach(one -> made.fields.put(one.getField(), one.getDescription()));
    }
    return made;
  }

  /** A connection that ends before it was made has no status of its own, only what the system said. */
  private static Status told(Status status) {
    boolean lost = status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof IOException;
    return lost ? Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause()) : status;
  }

  private static <T extends com.google.protobuf.Message> T detail(com.google.rpc.Status said, Class<T> kind) {
    if (said == null) {
      return null;
    }
    for (Any one : said.getDetailsList()) {
      if (one.is(kind)) {
        try {
          return one.unpack(kind);
        } catch (InvalidProtocolBufferException error) {
          return null; // a detail that cannot be read tells nothing
        }
      }
    }
    return null;
  }

  private static String foreign(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE -> UNAVAILABLE;
      case DEADLINE_EXCEEDED -> TIMEOUT;
      case CANCELLED -> CANCELLED;
      default -> INTERNAL;
    };
  }
}
