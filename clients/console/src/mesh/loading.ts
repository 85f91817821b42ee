// What is asked of the mesh while a page shows: loading, there, or in trouble.
import { useEffect, useState } from "preact/hooks";

import { type Trouble, troubleOf } from "./errors";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly trouble: Trouble | null;
  readonly loading: boolean;
  readonly again: () => void;
}

/** What a call gives; asked again when what it depends on changes, or `again` is called. */
export function useLoaded<T>(ask: (signal: AbortSignal) => Promise<T>, depends: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; trouble: Trouble | null; loading: boolean }>({
    value: undefined,
    trouble: null,
    loading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    ask(stop.signal).then(
      (value) => !stop.signal.aborted && setState({ value, trouble: null, loading: false }),
      (thrown) =>
        !stop.signal.aborted && setState((before) => ({ ...before, trouble: troubleOf(thrown), loading: false })),
    );
    return () => stop.abort();
  }, [...depends, round]);
  return { ...state, again: () => setRound((before) => before + 1) };
}
