// What a page shows while there is nothing else: waiting, empty, in trouble.
import type { ComponentChildren } from "preact";

import type { Trouble } from "../mesh/errors";
import { Icon } from "./icons";

export function Waiting({ children = "Loading…" }: { children?: ComponentChildren }) {
  return <p class="waiting" role="status"><Icon name="wait" turns />{children}</p>;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><h2>{title}</h2>{children}</div>;
}

/** What went wrong, where, and what to do. */
export function InTrouble({ trouble, again, words = "Try again" }: { trouble: Trouble | null; again?: () => void; words?: string }) {
  if (trouble === null) return null;
  const fields = Object.entries(trouble.fields);
  return (
    <div class="note bad" role="alert">
      <p class="breaks"><strong>{sentence(trouble.message)}</strong></p>
      {trouble.remedy && <p class="breaks">{trouble.remedy}</p>}
      {fields.length > 0 && <ul>{fields.map(([name, text]) => <li class="breaks"><code>{name}</code> {text}</li>)}</ul>}
      <p class="row small"><code>{trouble.reason}</code>
        {again && <button type="button" class="button little" onClick={again}>{words}</button>}</p>
    </div>
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
