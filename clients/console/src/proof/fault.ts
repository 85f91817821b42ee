// How checks say what they found.

/** The first thing that is off. */
export class Fault extends Error {}

/** What this page cannot look into; what it was needed for is taken on trust, and never told as checked. */
export class Beyond extends Error {}

/** Checked here and found right; off; or not checked here, for a reason that is said. */
export type Verdict = "ok" | "wrong" | "trust";

export interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** How a check that was not made whole is called; empty for all others. */
  readonly short: string;
  /** What this check leaves to be believed, in sentences. */
  readonly trusted: readonly string[];
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString("en-US")} ${value === 1 ? one : many}`;
}

/** A text as others' messages show it: quoted, and no longer than says something. */
export function quoted(text: string, longest = 80): string {
  const letters = Array.from(text);
  return `'${letters.length > longest ? `${letters.slice(0, longest).join("")}…` : text}'`;
}

export function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
