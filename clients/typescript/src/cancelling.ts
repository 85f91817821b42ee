// Streams that end with whoever reads them: a call that is only forgotten runs on.
import type { CallOptions } from "@connectrpc/connect";

/** The messages of a stream; leaving early, for any reason, cancels the call. */
export async function* cancelling<T>(
  open: (options: CallOptions) => AsyncIterable<T>,
  options: CallOptions,
): AsyncGenerator<T, void> {
  const ours = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ours.signal]) : ours.signal;
  try {
    yield* open({ ...options, signal });
  } finally {
    ours.abort();
  }
}
