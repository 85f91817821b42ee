// Files into the workspace: dropped, or chosen.
import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";

import { type Trouble, troubleOf } from "../mesh/errors";
import { upload } from "../mesh/upload";
import { needWorkspace } from "../mesh/workspace";
import { bytes } from "../words/numbers";
import { InTrouble, Waiting } from "./states";

/** What is on its way; null when nothing is. */
const under = signal<{ readonly name: string; readonly sent: number; readonly size: number } | null>(null);

function UnderWay({ name, sent, size }: { name: string; sent: number; size: number }) {
  if (sent >= size) return <Waiting><span class="breaks">{name}</span>: all {bytes(size)} sent; reading the file…</Waiting>;
  return (
    <div class="stack tight">
      <p><span class="breaks">{name}</span>: {bytes(sent)} of {bytes(size)}</p>
      <progress max={size} value={sent} aria-label={`Sent of ${name}`} />
    </div>
  );
}

export function Drop({ stored }: { stored: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function take(list: FileList | null | undefined): Promise<void> {
    const chosen = Array.from(list ?? []); // the list itself is emptied for the next choice
    if (chosen.length === 0) return;
    setTrouble(null);
    try {
      const session = await needWorkspace();
      for (const file of chosen) {
        under.value = { name: file.name, sent: 0, size: file.size };
        await upload(session.sessionId, file, (sent) => (under.value = { name: file.name, sent, size: file.size }));
        stored();
      }
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    under.value = null;
  }

  const going = under.value;
  return (
    <div class={`drop ${over ? "over" : ""}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); void take(event.dataTransfer?.files); }}>
      {going ? <UnderWay {...going} /> : (
        <>
          <p><strong>Drop a file here</strong> or</p>
          <button type="button" class="button" onClick={() => input.current?.click()}>Choose files</button>
          <p class="muted small">CSV, Excel, JSON, Parquet or Arrow, compressed or not</p>
        </>
      )}
      <input ref={input} type="file" multiple hidden onChange={(event) => { void take(event.currentTarget.files); event.currentTarget.value = ""; }} />
      <InTrouble trouble={trouble} />
    </div>
  );
}
