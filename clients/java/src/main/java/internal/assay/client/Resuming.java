package internal.assay.client;

import io.grpc.Context;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The messages of a stream, which is opened again where it breaks. Close it to end the call: one that is only
 * forgotten runs on.
 */
public final class Resuming<T> implements Iterator<T>, AutoCloseable {
  private final Context.CancellableContext context = Context.current().withCancellation();
  private final Supplier<Iterator<T>> open;
  private final Predicate<T> fresh;
  private final Patience patience;
  private Iterator<T> messages;
  private T next;
  private int failures;

  /** {@code fresh} says of each message whether it was not told before, and remembers it. */
  Resuming(Patience patience, Supplier<Iterator<T>> open, Predicate<T> fresh) {
    this.patience = patience;
    this.open = open;
    this.fresh = fresh;
  }

  @Override
  public boolean hasNext() {
    while (next == null) {
      try {
        if (messages == null) {
          context.run(() -> messages = open.get());
        }
        if (!messages.hasNext()) {
          close();
          return false;
        }
        T told = messages.next();
        if (fresh.test(told)) {
          failures = 0;
          next = told;
        }
      } catch (RuntimeException thrown) {
        messages = null;
        patience.await(AssayException.of(thrown), failures++);
      }
    }
    return true;
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    T told = next;
    next = null;
    return told;
  }

  @Override
  public void close() {
    context.cancel(null);
  }
}
