// Long lists, a page at a time: what is not shown is not made.
import { useEffect, useState } from "preact/hooks";

import { told } from "../words/numbers";

export interface Paged<T> {
  readonly shown: readonly T[];
  readonly from: number;
  readonly total: number;
  readonly size: number;
  readonly go: (from: number) => void;
}

/** One page of items. It starts over when `depends` changes, at the page that `at` is on. */
export function usePaged<T>(items: readonly T[], size: number, depends: readonly unknown[] = [], at = 0): Paged<T> {
  const [from, go] = useState(0);
  useEffect(() => go(Math.floor(Math.max(0, at) / size) * size), [...depends, at]);
  const start = from < items.length ? from : 0;
  return { shown: items.slice(start, start + size), from: start, total: items.length, size, go };
}

/** The way to other pages; nothing where all fits on one. */
export function Pages({ paged, of }: { paged: Paged<unknown>; of: string }) {
  const { from, total, size, go } = paged;
  if (total <= size) return null;
  const to = Math.min(from + size, total);
  return (
    <nav class="row pages small" aria-label={`Pages of ${of}`}>
      <button type="button" class="button little" disabled={from === 0} onClick={() => go(Math.max(0, from - size))}>Previous</button>
      <span class="muted number" role="status">{told(from + 1)} to {told(to)} of {told(total)} {of}</span>
      <button type="button" class="button little" disabled={to >= total} onClick={() => go(from + size)}>Next</button>
    </nav>
  );
}
