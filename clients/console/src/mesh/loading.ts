// What is asked of the mesh while a page shows: loading, there, or in trouble.
import { useEffect, useState } from "preact/hooks";

import { type Trouble, troubleOf } from "./errors";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly trouble: Trouble | null;
  readonly loading: boolean;
  readonly again: () => void;
}

/** Pauses between automatic retries while the mesh cannot be reached. */
const AGAIN_MILLISECONDS = [1000, 2000, 4000, 8000, 16_000];

export interface Paged<T> {
  readonly loaded: Loaded<{ readonly items: readonly T[]; readonly next: string }>;
  /** Shows one page more; null on the last. */
  readonly more: (() => void) | null;
}

/** The first pages of a list, all of which are asked anew together: what came since moves them. */
export function usePaged<T>(ask: (token: string, signal: AbortSignal) => Promise<{ items: readonly T[]; next: string }>, depends: readonly unknown[]): Paged<T> {
  const [pages, setPages] = useState(1);
  useEffect(() => setPages(1), depends);
  const loaded = useLoaded(async (signal) => {
    let items: readonly T[] = [];
    let next = "";
    for (let page = 0; page < pages && (page === 0 || next !== ""); page += 1) {
      const found = await ask(next, signal);
      items = [...items, ...found.items];
      next = found.next;
    }
    return { items, next };
  }, [...depends, pages]);
  return { loaded, more: loaded.value && loaded.value.next !== "" ? () => setPages((before) => before + 1) : null };
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
    let later: ReturnType<typeof setTimeout> | undefined;
    const begin = (failures: number) => {
      setState((before) => ({ ...before, loading: true }));
      ask(stop.signal).then(
        (value) => !stop.signal.aborted && setState({ value, trouble: null, loading: false }),
        (thrown) => {
          if (stop.signal.aborted) return;
          const trouble = troubleOf(thrown);
          setState((before) => ({ ...before, trouble, loading: false }));
          const pause = trouble?.retryable ? AGAIN_MILLISECONDS[failures] : undefined;
          if (pause !== undefined) later = setTimeout(() => begin(failures + 1), pause);
        },
      );
    };
    begin(0);
    return () => {
      stop.abort();
      clearTimeout(later);
    };
  }, [...depends, round]);
  return { ...state, again: () => setRound((before) => before + 1) };
}
