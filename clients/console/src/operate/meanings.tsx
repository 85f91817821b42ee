// Definitions with their decisions, and publications.
import { type Definition, DefinitionState } from "@gen/assay/gateway/v1/definition_service_pb";
import { useState } from "preact/hooks";

import { definitions, publications } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { bytes, count, moment } from "../words/numbers";
import { Act, Part } from "./part";

const STATES: readonly (readonly [DefinitionState, string, string])[] = [
  [DefinitionState.PENDING, "pending", "warn"],
  [DefinitionState.APPROVED, "approved", "good"],
  [DefinitionState.REJECTED, "rejected", "bad"],
  [DefinitionState.RETIRED, "retired", ""],
];

export function Definitions() {
  const [state, setState] = useState(DefinitionState.PENDING);
  const loaded = useLoaded(async (signal) => (await definitions.listDefinitions({ state, pageSize: 100 }, { signal })).definitions, [state]);
  return (
    <Part title="Definitions" means="What people and models propose that the data means. A pending definition changes nothing." loaded={loaded} none={(list) => (list.length === 0 ? `No ${STATES.find(([one]) => one === state)![1]} definitions.` : null)}
      beside={<label class="row small">Show<select class="narrow" value={state} onChange={(event) => setState(Number(event.currentTarget.value))}>{STATES.map(([one, name]) => <option value={one}>{name}</option>)}</select></label>}>
      {(list) => <ul class="stack">{list.map((one) => <Defined key={one.definitionId} definition={one} done={loaded.again} />)}</ul>}
    </Part>
  );
}

function Defined({ definition, done }: { definition: Definition; done: () => void }) {
  const decide = (state: DefinitionState) => (reason: string) => definitions.decideDefinition({ definitionId: definition.definitionId, state, reason });
  const [, word, tone] = STATES.find(([one]) => one === definition.state) ?? [0, "", ""];
  return (
    <li class="stack tight ruled">
      <p class="row"><strong class="breaks">{definition.subjects.join(", ") || "a definition"}</strong><span class={`chip ${tone}`}>{word}</span></p>
      <p class="small muted breaks">proposed by {definition.proposedBy}, {moment(definition.proposedAt)}{definition.decidedBy && `; decided by ${definition.decidedBy}, ${moment(definition.decidedAt)}${definition.reason && `: ${definition.reason}`}`}</p>
      {definition.evidence && <p class="breaks">{definition.evidence}</p>}
      <details><summary>What it says</summary><pre class="code under">{definition.model}</pre>
        {definition.facts.length > 0 && <ul class="stack tight under">{definition.facts.map((one) => <li class="small breaks">{one}</li>)}</ul>}
        {definition.effects.length > 0 && <p class="small under">It would change {count(definition.effects.length, "earlier job")}: {definition.effects.map((one) => <a class="breaks" href={`/proof/${one.jobId}`}>{one.frame || one.jobId.slice(0, 8)} ({one.change}) </a>)}</p>}</details>
      <p class="row">
        {definition.state === DefinitionState.PENDING && <Act words="Approve" danger={false} reason="may be said" question="From now on it applies to every question and statement about its sources." act={decide(DefinitionState.APPROVED)} done={done} />}
        {definition.state === DefinitionState.PENDING && <Act words="Reject" reason="needed" question="It will never apply." act={decide(DefinitionState.REJECTED)} done={done} />}
        {definition.state === DefinitionState.APPROVED && <Act words="Retire" reason="needed" question="It will no longer apply. Earlier answers stay as they are." act={decide(DefinitionState.RETIRED)} done={done} />}
      </p>
    </li>
  );
}

export function Publications() {
  const loaded = useLoaded(async (signal) => (await publications.listPublications({ pageSize: 100 }, { signal })).publications, []);
  return (
    <Part title="Publications" means="Pages on which every number was checked. Revoking one deletes the page and its text; its record stays." loaded={loaded} none={(list) => (list.length === 0 ? "No publications." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.publicationId}><span class="stack tight"><strong class="breaks">{one.title || "untitled"}</strong>
              <span class="small muted breaks">{one.publishedBy}, {moment(one.publishedAt)}, {bytes(one.pageBytes)}, {count(one.frames.length, "frame")}</span>
              {one.revocation && <span class="small breaks">revoked {moment(one.revocation.revokedAt)} by {one.revocation.revokedBy || "the mesh"}: {one.revocation.reason}</span>}</span>
              {one.revocation ? <span class="chip">revoked</span>
                : <Act words="Revoke" reason="needed" question={`Revoke “${one.title}”? Whoever opens its link sees the reason.`} act={(reason) => publications.revokePublication({ publicationId: one.publicationId, reason })} done={loaded.again} />}</li>
          ))}
        </ul>
      )}
    </Part>
  );
}
