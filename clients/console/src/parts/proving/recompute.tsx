// The recorded calls repeated. The mesh repeats them: the result is its word, and the page says so.
import { useRef, useState } from "preact/hooks";
import type { RecomputeJobResponse } from "@gen/assay/gateway/v1/audit_service_pb";

import { audit } from "../../mesh/calls";
import { type Trouble, troubleOf } from "../../mesh/errors";
import type { Recorded } from "../../proof/recorded";
import { count, seconds } from "../../words/numbers";
import { Icon } from "../icons";
import { InTrouble, Waiting } from "../states";

export function Recompute({ jobId, found }: { jobId: string; found: Recorded | null }) {
  const [steps, setSteps] = useState<readonly RecomputeJobResponse[] | null>(null);
  const [state, setState] = useState<"idle" | "running" | "done">("idle");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [places, setPlaces] = useState("");
  const stop = useRef<AbortController | null>(null);

  async function run(): Promise<void> {
    const [list, ending] = [[] as RecomputeJobResponse[], new AbortController()];
    stop.current = ending;
    setSteps([]);
    setTrouble(null);
    setState("running");
    const connectionStrings = places.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    try {
      for await (const step of audit.recomputeJob({ jobId, connectionStrings }, { signal: ending.signal })) {
        list.push(step);
        setSteps([...list]);
      }
      setState("done");
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
      setState("idle");
    }
  }

  return (
    <section class="card not-printed" aria-labelledby="again">
      <div class="row apart"><h2 id="again">Recomputation</h2>
        {state === "running" ? <button type="button" class="button" onClick={() => stop.current?.abort()}>Stop</button>
          : <button type="button" class="button" onClick={() => void run()}>Recompute</button>}</div>
      <p class="muted small">The mesh repeats the recorded calls and compares the results. This is the mesh's word: this browser has neither the sources nor the engine.</p>
      {asksDatabases(found) && (
        <label class="field"><span>Database addresses, one per line</span>
          <textarea rows={2} value={places} spellcheck={false} placeholder="only if a database has moved" onInput={(event) => setPlaces(event.currentTarget.value)} /></label>
      )}
      <InTrouble trouble={trouble} again={() => void run()} />
      {steps && steps.length > 0 && <ul class="findings">{steps.map((step) => <Step step={step} found={found} />)}</ul>}
      {state === "running" && <Waiting>Recomputing…</Waiting>}
      {state === "done" && steps && <Summary steps={steps} found={found} />}
    </section>
  );
}

function asksDatabases(found: Recorded | null): boolean {
  const sources = found?.request.get("data_sources");
  return Array.isArray(sources) && sources.some((one) => one instanceof Map && one.get("type") === "database");
}

/** What is wrong with a step: it differs where it must not, or the mesh now tells another call than the chain does. */
function wrongWith(step: RecomputeJobResponse, found: Recorded | null): string {
  const recorded = found?.calls.get(step.callId)?.frameDigest;
  if (found && step.callId && recorded !== step.recordedDigest) return "the mesh's record of this call differs from the chain that was checked here";
  return !step.same && step.deterministic ? step.detail || "it gives different rows now" : "";
}

function Step({ step, found }: { step: RecomputeJobResponse; found: Recorded | null }) {
  const wrong = wrongWith(step, found);
  const verdict = wrong ? "wrong" : step.same ? "told" : "trust";
  const name = step.toolName ? `${step.taskId} (${step.toolName})` : step.taskId;
  return (
    <li class={verdict}>
      <span class="sign"><Icon name={wrong ? "wrong" : step.same ? "done" : "trust"} /></span>
      <div><strong class="breaks">{name}</strong> <span class="muted small">{seconds(step.elapsed)}</span>
        {(wrong || step.detail || step.whyNot) && <p class="breaks">{wrong || step.detail || step.whyNot}</p>}</div>
      <span class={`chip ${wrong ? "bad" : step.same ? "" : "warn"}`}>{wrong ? "WRONG" : step.same ? "same" : "differs (not deterministic)"}</span>
    </li>
  );
}

function Summary({ steps, found }: { steps: readonly RecomputeJobResponse[]; found: Recorded | null }) {
  const calls = steps.filter((step) => step.toolName);
  const wrong = steps.map((step) => wrongWith(step, found)).find((one) => one !== "");
  if (wrong) return <p class="note bad breaks" role="alert"><span><strong>recomputed</strong>: {wrong}</span></p>;
  const same = calls.filter((step) => step.same).length;
  return <p class="note" role="status"><span>The mesh says: <strong>{same} of {count(calls.length, "step")} {same === 1 ? "gives" : "give"} the same bytes</strong>.</span></p>;
}
