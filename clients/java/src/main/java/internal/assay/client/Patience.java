package internal.assay.client;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The pauses before a call or a stream is made again while nobody serves. */
final class Patience {
  /** Together 19 seconds: longer than a gateway takes to be started again. */
  static final Patience USUAL = new Patience(
      List.of(50, 200, 500, 1000, 2000, 3000, 4000, 4000, 4000).stream().map(Duration::ofMillis).toList());

  /** Among the particulars of an error where the mesh itself waited in vain for a service of its own. */
  private static final String WAITED = "waited_seconds";

  static final Patience NONE = new Patience(List.of());

  private final List<Duration> delays;

  Patience(List<Duration> delays) {
    this.delays = List.copyOf(delays);
  }

  /** What a call gives, made again after each delay while trying again helps. */
  <T> T repeated(Supplier<T> call) {
    for (int failures = 0; ; failures++) {
      try {
        return call.get();
      } catch (RuntimeException thrown) {
        AssayException error = AssayException.of(thrown);
        if (error.particulars().containsKey(WAITED)) {
          throw error;
        }
        await(error, failures);
      }
    }
  }

  /** Waits before the next try; throws the error where there is none. */
  void await(AssayException error, int failures) {
    if (!error.retryable() || failures >= delays.size()) {
      throw error;
    }
    Duration delay = delays.get(failures);
    delay = delay.compareTo(error.retryAfter()) < 0 ? error.retryAfter() : delay;
    Deadline deadline = Context.current().getDeadline();
    if (deadline != null && deadline.timeRemaining(TimeUnit.MILLISECONDS) < delay.toMillis()) {
      throw error; // time runs out: what happened says more than that
    }
    try {
      Thread.sleep(delay.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw error;
    }
  }
}
