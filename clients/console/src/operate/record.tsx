// The record: the newest signed root, a job's entries, and what the mesh has learned.
import { useState } from "preact/hooks";

import { audit, catalogue, jobs } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { count, moment, told } from "../words/numbers";
import { isDenied, KINDS, laidOut } from "./log";
import { Act, Part } from "./part";

/** A C2SP checkpoint: origin, size, root, then signatures. */
export function Checkpoint() {
  const loaded = useLoaded((signal) => audit.getCheckpoint({}, { signal }), []);
  return (
    <Part title="Checkpoint" means="The newest signed root of the audit log. Whoever keeps a copy can detect later changes to past entries." loaded={loaded} none={({ note }) => (note === "" ? "No checkpoint yet." : null)}>
      {({ note, verifierKey, witnessKeys }) => {
        const [origin, size, root] = note.split("\n");
        return (
          <>
            <dl class="pairs">
              <dt>log</dt><dd class="breaks">{origin}</dd><dt>entries</dt><dd class="number">{told(BigInt(/^\d+$/.test(size ?? "") ? size! : 0))}</dd>
              <dt>root</dt><dd><code class="breaks">{root}</code></dd><dt>key</dt><dd><code class="breaks">{verifierKey}</code></dd>
              <dt>witnesses</dt><dd>{witnessKeys.length === 0 ? "not cosigned" : witnessKeys.map((one) => <code class="breaks">{one}</code>)}</dd>
            </dl>
            <details><summary>Signed note</summary><pre class="code under">{note}</pre></details>
          </>
        );
      }}
    </Part>
  );
}

export function Entries({ jobId, choose }: { jobId: string; choose: (jobId: string) => void }) {
  const [kind, setKind] = useState("");
  const recent = useLoaded(async (signal) => (await jobs.listJobs({ pageSize: 50 }, { signal })).jobs, []);
  const chosen = jobId || recent.value?.[0]?.jobId || "";
  const loaded = useLoaded(async (signal) => (chosen ? (await audit.listEntries({ jobId: chosen, pageSize: 1000 }, { signal })).entries : []), [chosen]);
  return (
    <Part title="The chain of a job" means="One hash chain per job: each entry is linked to the one before it, and to the signed root." loaded={loaded} none={(list) => (list.length === 0 ? "No entries." : null)}
      beside={<>
        <label class="row small">Job<select class="narrow" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          {jobId && !recent.value?.some((one) => one.jobId === jobId) && <option value={jobId}>{jobId.slice(0, 8)}</option>}
          {recent.value?.map((one) => <option value={one.jobId}>{one.jobId.slice(0, 8)} {one.understood.slice(0, 50)}</option>)}</select></label>
        <label class="row small">Type<select class="narrow" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>{KINDS.map((one) => <option value={one}>{one.replaceAll("_", " ") || "all"}</option>)}</select></label>
      </>}>
      {(list) => {
        const shown = list.filter((one) => kind === "" || one.eventType === kind);
        const refused = list.filter(isDenied).length;
        return (
          <>
            <p class="small row"><span>{count(shown.length, "entry", "entries")}</span>{refused > 0 && <span class="chip bad">{told(refused)} denied</span>}<a href={`/proof/${chosen}`}>Check the proof</a></p>
            <ol class="entries scroll" tabIndex={0} aria-label="Entries">
              {shown.map((one) => (
                <li key={one.entryId} class={isDenied(one) ? "failed" : undefined}>
                  <details class="whole"><summary><span class="number muted">{told(one.sequenceNumber)}</span> {one.eventType.replaceAll("_", " ")} <span class="muted small">{one.actor} · {one.timestamp.slice(0, 19).replace("T", " ")}</span></summary>
                    <pre class="code small under">{laidOut(one.eventDataJson)}</pre><p class="small muted breaks">hash <code>{one.hash}</code>, leaf {told(one.leafIndex)}</p></details>
                </li>
              ))}
            </ol>
          </>
        );
      }}
    </Part>
  );
}

export function Recipes() {
  const loaded = useLoaded(async (signal) => (await catalogue.listRecipes({ pageSize: 100 }, { signal })).recipes, []);
  return (
    <Part title="Recipes" means="Plans that worked, generalised. They are tried first when a question fits." loaded={loaded} none={(list) => (list.length === 0 ? "No recipes yet." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.recipeId}><span class="stack tight"><span class="breaks">{one.intentTemplate || one.exactQuestion}</span>
              <span class="small muted breaks">{count(one.successCount, "use")}, last {moment(one.lastUsedAt)}{one.lastFailure && `; last failure: ${one.lastFailure}`}</span></span>
              <span class="row">{one.quarantined && <span class="chip bad">quarantined</span>}
                <Act words="Delete" question={`Delete the recipe “${one.intentTemplate || one.exactQuestion}”?`} act={() => catalogue.deleteRecipe({ recipeId: one.recipeId })} done={loaded.again} /></span></li>
          ))}
        </ul>
      )}
    </Part>
  );
}

export function Tools() {
  const loaded = useLoaded(async (signal) => (await catalogue.listTools({}, { signal })).tools, []);
  return (
    <Part title="Tools" loaded={loaded} none={(list) => (list.length === 0 ? "No tools." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.name}><details class="whole"><summary><code>{one.name}</code> <span class={`chip ${one.deterministic ? "good" : "warn"}`}>{one.deterministic ? "deterministic" : "not deterministic"}</span> <span class="muted small">{one.description.split("\n")[0]}</span></summary>
              <p class="small breaks under">{one.description}</p>{one.whyNot && <p class="small breaks">Not deterministic: {one.whyNot}</p>}<pre class="code small">{laidOut(one.argumentsSchemaJson)}</pre></details></li>
          ))}
        </ul>
      )}
    </Part>
  );
}
