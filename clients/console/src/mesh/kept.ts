// What this tab keeps for whoever works in it: words that were typed and not asked yet, by the page they stand on, and
// where they were when their sign-in ended. It is gone with the tab, and nobody else's who signs in.
import { effect, type Signal, signal } from "@preact/signals";

const KEY = "assay.tab";

interface Kept {
  readonly owner: string;
  readonly back: string;
  readonly drafts: Readonly<Record<string, string>>;
}

const NOTHING: Kept = { owner: "", back: "", drafts: {} };
const drafts = new Map<string, Signal<string>>();
let kept = read();

function read(): Kept {
  try {
    return { ...NOTHING, ...(JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Kept>) };
  } catch {
    return NOTHING;
  }
}

function keep(change: Partial<Kept>): void {
  kept = { ...kept, ...change };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // no room: then it lasts as long as the page
  }
}

/** What is typed on the page of this path. */
export function draftAt(path: string): Signal<string> {
  const known = drafts.get(path);
  if (known) return known;
  const draft = signal(kept.drafts[path] ?? "");
  drafts.set(path, draft);
  effect(() => {
    const { [path]: before = "", ...others } = kept.drafts;
    if (draft.value !== before) keep({ drafts: draft.value ? { ...others, [path]: draft.value } : others });
  });
  return draft;
}

/** Have what is typed on one page stand on another. */
export function moveDraft(from: string, to: string): void {
  const words = draftAt(from).value;
  if (from === to || !words) return;
  draftAt(to).value = words;
  draftAt(from).value = "";
}

/** Who works here from now on; what somebody else left is forgotten. */
export function keepFor(owner: string): void {
  if (kept.owner !== owner) forgetKept();
  keep({ owner });
}

/** Nothing is left for whoever comes next. */
export function forgetKept(): void {
  for (const draft of drafts.values()) draft.value = "";
  keep(NOTHING);
}

/** Signing in again leads back to here. */
export function rememberPlace(): void {
  keep({ back: location.pathname + location.search });
}

/** Where to go back to, once; empty for nowhere. */
export function takePlace(): string {
  const { back } = kept;
  if (back) keep({ back: "" });
  return back;
}
