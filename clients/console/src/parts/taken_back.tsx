// A turn that was taken back: folded and struck through, to be read, and to be brought back.
import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";

import type { Turn } from "../mesh/conversing";
import { TurnBody } from "./turn_shown";

interface Props {
  readonly turn: Signal<Turn>;
  readonly bringBack: (() => void) | null;
}

export function TakenBack({ turn, bringBack }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <article class="turn taken-back" aria-busy="false">
      <div class="row apart">
        <h2 class="said"><s>{turn.value.said}</s> <span class="chip muted">taken back</span></h2>
        <button type="button" class="button little not-printed" disabled={!bringBack} onClick={() => bringBack?.()}>Bring back</button>
      </div>
      <details class="not-printed" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Show answer</summary>
        {open && <TurnBody turn={turn} say={null} />}
      </details>
    </article>
  );
}
