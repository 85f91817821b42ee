// One definition: what it says, why, what the data tells of it, what it would change, and who decided.
import { type Definition, DefinitionState } from "@gen/assay/gateway/v1/definition_service_pb";
import { useState } from "preact/hooks";

import { definitions } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { who } from "../mesh/who";
import { InTrouble } from "../parts/states";
import { count, moment } from "../words/numbers";
import { escaped } from "./writing";

const STATES: Readonly<Record<DefinitionState, readonly [word: string, tone: string]>> = {
  [DefinitionState.UNSPECIFIED]: ["unknown", ""],
  [DefinitionState.PENDING]: ["pending", "warn"],
  [DefinitionState.APPROVED]: ["approved", "good"],
  [DefinitionState.REJECTED]: ["rejected", "bad"],
  [DefinitionState.RETIRED]: ["retired", ""],
};

interface Props {
  readonly definition: Definition;
  /** Names of files by their ids, as far as they are known here. */
  readonly names: ReadonlyMap<string, string>;
  readonly changed: () => void;
}

export function DefinitionShown({ definition, names, changed }: Props) {
  const [word, tone] = STATES[definition.state];
  const { facts, effects } = definition;
  return (
    <article class="card definition" aria-label={definition.subjects.join(", ") || definition.definitionId}>
      <p class="row apart"><strong class="breaks">{definition.subjects.join(", ") || "how the data is read"}</strong>
        <span class={`chip ${tone}`}>{word}{definition.version > 0 && `, version ${definition.version}`}</span></p>
      <pre class="code" tabIndex={0} aria-label="What it says">{escaped(definition.model)}</pre>
      {definition.evidence && <p class="breaks"><span class="muted">Reason:</span> {definition.evidence}</p>}
      <div class="told">
        <div><h3 class="small muted">What the data shows</h3>
          {facts.length === 0 ? <p class="muted small">Nothing that can be measured.</p> : <ul class="bullets">{facts.map((one) => <li class="breaks">{one}</li>)}</ul>}</div>
        <div><h3 class="small muted">What it would change in recent answers</h3>
          {effects.length === 0 ? <p class="muted small">Nothing in the answers that were checked.</p>
            : <ul class="bullets">{effects.map((one) => <li class="breaks"><a href={`/proof/${one.jobId}`}>{one.frame || one.jobId.slice(0, 8)}</a> {one.change}</li>)}</ul>}</div>
      </div>
      <p class="muted small breaks">
        {about(definition, names)}Proposed by {name(definition.proposedBy)}, {moment(definition.proposedAt)}.
        {definition.decidedBy && ` Decided by ${name(definition.decidedBy)}, ${moment(definition.decidedAt)}${definition.reason ? `: ${definition.reason}` : ""}.`}
        {" "}<code>{definition.definitionId.slice(0, 8)}</code>
      </p>
      {who.value?.role === "operator" ? <Deciding definition={definition} changed={changed} />
        : definition.state === DefinitionState.PENDING && <p class="muted small">Waiting for an operator's decision.</p>}
    </article>
  );
}

function Deciding({ definition, changed }: Omit<Props, "names">) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [open, setOpen] = useState(false);
  const pending = definition.state === DefinitionState.PENDING;
  if (!pending && definition.state !== DefinitionState.APPROVED) return null;

  async function decide(state: DefinitionState): Promise<void> {
    setBusy(true);
    setTrouble(null);
    try {
      await definitions.decideDefinition({ definitionId: definition.definitionId, state, reason: reason.trim() });
      changed();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  if (!pending && !open) return <p><button type="button" class="button little" onClick={() => setOpen(true)}>Retire…</button></p>;
  return (
    <div class="stack tight">
      <label class="field small"><span>Reason{pending ? " (required to reject)" : ""}</span>
        <input type="text" maxLength={2000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
      <InTrouble trouble={trouble} />
      <div class="row">
        {pending && <button type="button" class="button little first" disabled={busy} onClick={() => void decide(DefinitionState.APPROVED)}>Approve</button>}
        {pending && <button type="button" class="button little danger" disabled={busy || !reason.trim()} onClick={() => void decide(DefinitionState.REJECTED)}>Reject</button>}
        {!pending && <button type="button" class="button little danger" disabled={busy || !reason.trim()} onClick={() => void decide(DefinitionState.RETIRED)}>Retire</button>}
      </div>
    </div>
  );
}

function about(definition: Definition, names: ReadonlyMap<string, string>): string {
  const [first, ...rest] = definition.sources.map((one) => one.name || (one.place.case === "fileId" ? names.get(one.place.value) ?? "a file" : String(one.place.value ?? "")));
  if (!first) return "";
  return rest.length > 0 ? `About ${first} and ${count(rest.length, "other source")}. ` : `About ${first}. `;
}

function name(user: string): string {
  return user === "local" ? "this machine's user" : user;
}
