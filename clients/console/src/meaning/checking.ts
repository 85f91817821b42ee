// Whether a model fits the data, asked of the mesh while it is written.
import type { Look } from "@gen/assay/common/v1/look_pb";
import { useEffect, useRef, useState } from "preact/hooks";

import { AS_EVER, type Data, lookAt, MODEL } from "../look/asking";
import { type Trouble, troubleOf } from "../mesh/errors";

export interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Checked {
  readonly state: "checking" | "fits" | "wrong" | "trouble";
  readonly mistakes: readonly Mistake[];
  readonly trouble: Trouble | null;
  /** The data as the model has it; of the last text that fitted. */
  readonly look: Look | null;
}

const PAUSE_MILLISECONDS = 500;
const NOTHING: readonly Mistake[] = [];

/** What the mesh says of the text, a moment after it was last changed. */
export function useChecked(data: Data, text: string): Checked {
  const [checked, setChecked] = useState<Checked>({ state: "checking", mistakes: NOTHING, trouble: null, look: null });
  const first = useRef(true);
  useEffect(() => {
    const stop = new AbortController();
    setChecked((before) => ({ ...before, state: "checking" }));
    const timer = setTimeout(() => void ask(), first.current ? 0 : PAUSE_MILLISECONDS);
    first.current = false;
    async function ask(): Promise<void> {
      try {
        const look = await lookAt(data, AS_EVER, stop.signal, text);
        if (!stop.signal.aborted) setChecked({ state: "fits", mistakes: NOTHING, trouble: null, look });
      } catch (thrown) {
        const trouble = stop.signal.aborted ? null : troubleOf(thrown);
        if (!trouble) return;
        const mistakes = mistakesOf(trouble);
        setChecked((before) => ({ state: mistakes.length > 0 ? "wrong" : "trouble", mistakes, trouble: mistakes.length > 0 ? null : trouble, look: before.look }));
      }
    }
    return () => { clearTimeout(timer); stop.abort(); };
  }, [data, text]);
  return checked;
}

/** The lines and columns that a refusal names: its fields are called "model:LINE:COLUMN". */
export function mistakesOf(trouble: Trouble): Mistake[] {
  if (trouble.reason !== "SEMANTIC_MODEL_INVALID") return [];
  const found = Object.entries(trouble.fields).flatMap(([name, message]) => {
    const place = /^(.*):(\d+):(\d+)$/.exec(name);
    return place && place[1] === MODEL ? [{ line: Number(place[2]), column: Number(place[3]), message }] : [];
  });
  return found.sort((a, b) => a.line - b.line || a.column - b.column);
}
