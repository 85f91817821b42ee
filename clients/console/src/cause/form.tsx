// The form that starts a causal study: treatment, outcome, and what is known of their order in time.
import { create } from "@bufbuild/protobuf";
import { CausalKnowledgeSchema } from "@gen/assay/common/v1/causal_pb";
import { useLocation, useRoute } from "preact-iso";
import { useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { useData } from "../mesh/data";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { PickData } from "../parts/pick_data";
import { InTrouble } from "../parts/states";
import { Before, ColumnField, Limits } from "./fields";
import { orderOf } from "./knowledge";

export function Form() {
  const { query } = useRoute();
  const { route } = useLocation();
  const origin = query["from"] ?? "";
  const explanation = Number(query["explanation"] ?? 0) || 0;
  const data = useData(query["source"]);
  const [treatment, setTreatment] = useState(query["treatment"] ?? "");
  const [outcome, setOutcome] = useState(query["outcome"] ?? "");
  const [known, setKnown] = useState(false);
  const [before, setBefore] = useState<readonly string[]>([]);
  const [randomised, setRandomised] = useState(false);
  const [question, setQuestion] = useState("");
  const [minutes, setMinutes] = useState(15);
  const [rows, setRows] = useState(0);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const columns = [...new Set((data.look.value?.tables ?? []).flatMap((table) => table.columns.map((column) => column.name)))];

  async function begin(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      const requestId = newId();
      const order = known && !origin ? orderOf(before, treatment, outcome) : create(CausalKnowledgeSchema);
      const causal = {
        treatment, outcome, question,
        knowledge: { ...order, randomised },
        constraints: { timeout: { seconds: BigInt(minutes * 60) } },
        ...(rows > 0 ? { rows } : {}),
        ...(origin ? { origin: { jobId: origin, explanation } } : { dataSources: [...(data.chosen?.sources ?? [])] }),
      };
      await jobs.createJob({ requestId, sessionId: origin ? "" : data.chosen?.sessionId ?? "", work: { case: "causal", value: causal } });
      route(`/cause/${requestId}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  return (
    <form class="card" onSubmit={(event) => void begin(event)}>
      {origin ? (
        <div class="note"><p>The treatment is whether a row belongs to the segment of <a href={`/why/${origin}`}>this investigation</a>{explanation > 0 && ` (explanation ${explanation})`},
          and the outcome is what a row adds to its metric. Its data, periods and limits are reused.</p></div>
      ) : <PickData data={data} />}
      {!origin && (
        <fieldset class="stack">
          <legend class="legend">Effect</legend>
          <div class="cards">
            <ColumnField name="What is changed (treatment)" columns={columns} value={treatment} change={setTreatment} />
            <ColumnField name="What it may affect (outcome)" columns={columns} value={outcome} change={setOutcome} />
          </div>
          {treatment !== "" && treatment === outcome && <p class="note warn">A column cannot be both.</p>}
        </fieldset>
      )}
      {!origin && <Before columns={columns.filter((one) => one !== treatment && one !== outcome)} known={known} setKnown={setKnown} chosen={before} change={setBefore} />}
      <label class="row"><input type="checkbox" checked={randomised} onChange={(event) => setRandomised(event.currentTarget.checked)} />The treatment was assigned at random (an experiment)</label>
      <Limits {...{ minutes, setMinutes, rows, setRows, question, setQuestion }} />
      <InTrouble trouble={trouble} />
      <p class="row"><button class="button first" disabled={busy || (!origin && !data.chosen) || (treatment !== "" && treatment === outcome)}>{busy ? "Starting…" : "Start study"}</button>
        <span class="muted small">This takes minutes: every method, refutation tests, and a debate.</span></p>
    </form>
  );
}
