// One part of the page: it loads on its own, and fails on its own.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

import { type Trouble, troubleOf } from "../mesh/errors";
import type { Loaded } from "../mesh/loading";
import { newId } from "../mesh/ids";
import { InTrouble, Waiting } from "../parts/states";

interface PartProps<T> {
  readonly title: string;
  readonly means?: string;
  readonly loaded: Loaded<T>;
  readonly none?: (value: T) => string | null;
  readonly children: (value: T) => ComponentChildren;
  readonly beside?: ComponentChildren;
}

export function Part<T>({ title, means, loaded, none, children, beside }: PartProps<T>) {
  const id = useRef(`part-${newId().slice(0, 8)}`);
  const empty = loaded.value === undefined ? null : none?.(loaded.value) ?? null;
  return (
    <section class="card" aria-labelledby={id.current}>
      <div class="row apart"><h2 id={id.current}>{title}</h2>
        <div class="row">{beside}<button type="button" class="button little plain" disabled={loaded.loading} onClick={loaded.again}>Refresh</button></div></div>
      {means && <p class="muted small">{means}</p>}
      {loaded.loading && loaded.value === undefined && <Waiting />}
      <InTrouble trouble={loaded.trouble} again={loaded.again} />
      {empty !== null ? <p class="muted">{empty}</p> : loaded.value !== undefined && children(loaded.value)}
    </section>
  );
}

interface ActProps {
  readonly words: string;
  readonly question: string;
  readonly act: (reason: string) => Promise<unknown>;
  readonly done: () => void;
  readonly reason?: "needed" | "may be said";
  readonly danger?: boolean;
}

/** A button that asks for confirmation first. */
export function Act({ words, question, act, done, reason, danger = true }: ActProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      await act(said.trim());
      dialog.current?.close();
      done();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  return (
    <>
      <button type="button" class={`button little ${danger ? "danger" : ""}`} onClick={() => dialog.current?.showModal()}>{words}</button>
      <dialog ref={dialog} aria-label={words}>
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <h2 class="breaks">{words}</h2>
          <p class="breaks">{question}</p>
          {reason && (
            <label class="field"><span>Reason{reason === "may be said" && " (optional)"}</span>
              <input type="text" maxLength={1000} value={said} onInput={(event) => setSaid(event.currentTarget.value)} /></label>
          )}
          <InTrouble trouble={trouble} />
          <p class="row apart">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>Cancel</button>
            <button class={`button ${danger ? "danger" : "first"}`} disabled={busy || (reason === "needed" && said.trim() === "")}>{busy ? "…" : words}</button>
          </p>
        </form>
      </dialog>
    </>
  );
}
