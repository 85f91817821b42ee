// Background knowledge of one edge: required, forbidden, or none.
import type { CausalEdge } from "@gen/assay/common/v1/causal_pb";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Arrow } from "./knowledge";

interface Props {
  readonly open: CausalEdge | "new" | null;
  readonly columns: readonly string[];
  readonly said: readonly Arrow[];
  readonly say: (source: string, target: string, said: Arrow["said"] | null) => void;
  readonly close: () => void;
}

export function EdgeDialog({ open, columns, said, say, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [source, setSource] = useState("");
  const [target, setTarget] = useState("");
  useEffect(() => {
    if (!open) return dialog.current?.close();
    setSource(open === "new" ? "" : open.source);
    setTarget(open === "new" ? "" : open.target);
    dialog.current?.showModal();
  }, [open]);
  const found = open !== null && open !== "new" ? open : null;
  const now = said.find((one) => one.source === source && one.target === target)?.said;
  const whole = source !== "" && target !== "" && source !== target;
  return (
    <dialog ref={dialog} onClose={close} aria-label="Edge">
      <div class="stack">
        <h2 class="breaks">{found ? `${found.source} → ${found.target}` : "Add a known edge"}</h2>
        {found && <p class="muted small">{found.edgeType}, found in {Math.round(found.confidence * 100)} % of resampled data{now && `; ${now} now`}</p>}
        <div class="row days">
          {([["From", source, setSource], ["To", target, setTarget]] as const).map(([name, value, change]) => (
            <label class="field"><span>{name}</span>
              <select value={value} onChange={(event) => change(event.currentTarget.value)}>
                <option value="">choose a column</option>
                {columns.map((column) => <option key={column} value={column}>{column}</option>)}
              </select></label>
          ))}
        </div>
        <p class="row">
          <button type="button" class="button" disabled={!whole} onClick={() => say(source, target, "required")}>Require</button>
          <button type="button" class="button danger" disabled={!whole} onClick={() => say(source, target, "forbidden")}>Forbid</button>
          {now && <button type="button" class="button plain" onClick={() => say(source, target, null)}>Clear</button>}
          <button type="button" class="button plain" onClick={() => dialog.current?.close()}>Close</button>
        </p>
        <p class="muted small">Applies to the next run as background knowledge. This result does not change.</p>
      </div>
    </dialog>
  );
}
