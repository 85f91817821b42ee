package internal.assay.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/** Gives every call its caller and, where it has none, its deadline. */
final class Calling implements ClientInterceptor {
  static final Duration TRANSFER = Duration.ofSeconds(240);
  /** A job is watched for longer than any may take: a causal one has at most an hour. */
  static final Duration WATCH = Duration.ofSeconds(4000);

  private static final Metadata.Key<String> REQUEST = key("x-assay-request");
  private static final Metadata.Key<String> AUTHORIZATION = key("authorization");
  private static final Metadata.Key<String> USER = key("x-assay-user");
  /** As whom a mesh on this machine is asked by default, as by the command assay. */
  private static final String LOCAL_USER = "local";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String token;
  private final String user;
  private final Duration deadline;

  Calling(String token, String user, Duration deadline) {
    this.token = token;
    this.user = user.isEmpty() && token.isEmpty() ? LOCAL_USER : user;
    this.deadline = deadline;
  }

  static String newId() {
    byte[] id = new byte[16];
    RANDOM.nextBytes(id);
    id[6] = (byte) (id[6] & 0x0f | 0x40);
    id[8] = (byte) (id[8] & 0x3f | 0x80);
    return HexFormat.of().formatHex(id);
  }

  @Override
  public <A, B> ClientCall<A, B> interceptCall(MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    boolean bounded = options.getDeadline() != null || Context.current().getDeadline() != null;
    CallOptions within = bounded ? options
        : options.withDeadlineAfter(usual(method).toMillis(), TimeUnit.MILLISECONDS);
    return new SimpleForwardingClientCall<>(next.newCall(method, within)) {
      @Override
      public void start(Listener<B> listener, Metadata headers) {
        headers.put(REQUEST, newId());
        if (!token.isEmpty()) {
          headers.put(AUTHORIZATION, "Bearer " + token);
        }
        if (!user.isEmpty()) {
          headers.put(USER, user);
        }
        super.start(listener, headers);
      }
    };
  }

  private Duration usual(MethodDescriptor<?, ?> method) {
    if (method.getType() == MethodDescriptor.MethodType.UNARY) {
      return deadline;
    }
    return "WatchJob".equals(method.getBareMethodName()) ? WATCH : TRANSFER;
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
