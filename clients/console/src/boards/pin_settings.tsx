// A pin's title and range, and unpinning it.
import type { Pin } from "@gen/assay/gateway/v1/board_service_pb";
import { useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { InTrouble } from "../parts/states";
import type { Answer } from "./loading";
import { numbersOf } from "./numbers_of";
import { RangeFields, rangeOf, rangeWordsOf } from "./range_fields";

interface Props {
  readonly pin: Pin;
  readonly answer: Answer | null;
  readonly close: () => void;
  readonly changed: () => void;
}

export function PinSettings({ pin, answer, close, changed }: Props) {
  const [title, setTitle] = useState(pin.title);
  const [range, setRange] = useState(rangeWordsOf(pin.range));
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);

  async function doing(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setTrouble(null);
    try {
      await work();
      close();
      changed();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  const save = () => doing(() => boards.updatePin({ pinId: pin.pinId, title, range: rangeOf(range) }));
  return (
    <form class="stack" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <h2>Edit pinned answer</h2>
      <label class="field"><span>Title</span>
        <input type="text" required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <RangeFields numbers={numbersOf(answer?.job.result.value)} words={range} change={setRange} />
      {pin.question && <p class="muted small breaks">Question: {pin.question}</p>}
      <p class="muted small breaks">Runs on behalf of {pin.pinnedBy}</p>
      <InTrouble trouble={trouble} />
      <p class="row apart">
        {sure ? <button type="button" class="button danger" disabled={busy} onClick={() => void doing(() => boards.unpin({ pinId: pin.pinId }))}>Unpin and delete history</button>
          : <button type="button" class="button danger" onClick={() => setSure(true)}>Unpin…</button>}
        <span class="row"><button type="button" class="button" onClick={close}>Cancel</button><button class="button first" disabled={busy}>Save</button></span>
      </p>
    </form>
  );
}
