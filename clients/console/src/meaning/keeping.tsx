// What becomes of a model: kept with a known source, proposed as a definition for everybody, or downloaded as a file.
import { clone, create } from "@bufbuild/protobuf";
import { DataSourceSchema, SemanticModelSchema } from "@gen/assay/common/v1/data_pb";
import { useEffect, useMemo, useState } from "preact/hooks";

import { AS_EVER, type Data, sourcesOf } from "../look/asking";
import { definitions, sources } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { InTrouble } from "../parts/states";
import { addedTo } from "./changes";
import type { Checked } from "./checking";

const MOST_BYTES = 16 * 1024;
const SETTLED_MILLISECONDS = 250;

interface Props {
  readonly data: Data;
  readonly text: string;
  readonly base: string;
  readonly checked: Checked;
  readonly change: (text: string) => void;
  readonly proposed: () => void;
  readonly kept: () => void;
}

export function Keeping({ data, text, base, checked, change, proposed, kept }: Props) {
  const [evidence, setEvidence] = useState("");
  const [busy, setBusy] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [told, setTold] = useState("");
  const [made, setMade] = useState("");
  const settled = useSettled(text);
  const added = useMemo(() => addedTo(base, settled), [base, settled]);
  const fits = checked.state === "fits" && settled === text;
  const large = new TextEncoder().encode(added).length > MOST_BYTES;

  async function doing(what: string, work: () => Promise<void>): Promise<void> {
    setBusy(what);
    setTrouble(null);
    setTold("");
    try {
      await work();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy("");
  }

  const propose = () => doing("propose", async () => {
    const asked = { requestId: newId(), sources: sourcesOf(data, AS_EVER), model: added, evidence: evidence.trim(), sessionId: data.sessionId };
    const { definition } = await definitions.proposeDefinition(asked);
    setMade(definition!.definitionId);
    proposed();
  });
  const keep = () => doing("keep", async () => {
    const source = clone(DataSourceSchema, data.known!.source!);
    const before = source.semanticModels[0];
    source.semanticModels[0] = create(SemanticModelSchema, { name: before?.name || `${data.name}.assay.yaml`, text });
    await sources.addSource({ name: data.name, source });
    setTold(`Saved with ${data.name}. It applies to your questions from now on.`);
    kept();
  });

  return (
    <section class="card" aria-labelledby="keeping">
      <h2 id="keeping">Save or propose</h2>
      {!added && <p class="muted">No additions yet to {data.known?.source?.semanticModels.length ? "the saved model" : "the model read from the data"}. Edit the form or the text.</p>}
      {added && !made && (
        <>
          <p>Your additions. Proposed as a definition, they apply to everyone who asks about this data once an operator approves them. What they would change in recent answers is shown first.</p>
          <pre class="code" tabIndex={0} aria-label="Your additions">{added}</pre>
          <label class="field"><span>Reason (shown to whoever decides)</span>
            <textarea rows={2} maxLength={2000} value={evidence} placeholder="as in the annual report" onInput={(event) => setEvidence(event.currentTarget.value)} /></label>
          {large && <p class="note warn">A definition holds at most 16 KB: propose it in parts.</p>}
        </>
      )}
      {made && <p class="note good" role="status"><span>Proposed (<code>{made.slice(0, 8)}</code>). It is listed below with what the data shows and what it would change. It changes nothing until it is approved.</span></p>}
      <InTrouble trouble={trouble} />
      {told && <p class="note good" role="status">{told}</p>}
      <div class="row">
        {added && !made && <button type="button" class="button first" disabled={!fits || large || busy !== ""} onClick={() => void propose()}>{busy === "propose" ? "Measuring what it changes…" : "Propose as a definition"}</button>}
        {made && <button type="button" class="button" onClick={() => setMade("")}>Propose another</button>}
        {data.known && <button type="button" class="button" disabled={!fits || busy !== "" || text === base} onClick={() => void keep()}>{busy === "keep" ? "Saving…" : "Save for this source"}</button>}
        <button type="button" class="button" onClick={() => takeAlong(text, `${data.name || data.stored[0]?.originalName.replace(/\.[^.]*$/, "") || "model"}.assay.yaml`)}>Download as a file</button>
        {text !== base && <button type="button" class="button plain" onClick={() => { change(base); setMade(""); }}>Discard changes</button>}
      </div>
    </section>
  );
}

/** A text that has not changed for a moment, so that computing from it does not slow down typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function takeAlong(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
