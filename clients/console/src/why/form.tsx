// The form that starts an investigation: what moved, between which periods, and by what it may be split.
import { SemanticKind } from "@gen/assay/common/v1/look_pb";
import { useLocation, useRoute } from "preact-iso";
import { useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { useData } from "../mesh/data";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { PickData } from "../parts/pick_data";
import { InTrouble } from "../parts/states";
import { Dimensions, PeriodFields } from "./fields";
import { NO_PERIODS, type Periods, timesOf } from "./periods";

type How = "words" | "parts" | "leaves";

const HOWS: readonly (readonly [How, string, string])[] = [
  ["words", "In words", "The periods and the metric are read from the question, and shown before any number."],
  ["parts", "Metric and periods", "A metric, and the two periods to compare."],
  ["leaves", "Forecast and actual", "One row per combination of values, with its forecast and its actual value."],
];

export function Form() {
  const { query } = useRoute();
  const { route } = useLocation();
  const data = useData(query["source"]);
  const [how, setHow] = useState<How>(query["q"] || !query["metric"] ? "words" : "parts");
  const [question, setQuestion] = useState(query["q"] ?? "");
  const [metric, setMetric] = useState(query["metric"] ?? "");
  const [periods, setPeriods] = useState<Periods>(NO_PERIODS);
  const [time, setTime] = useState("");
  const [dimensions, setDimensions] = useState<readonly string[]>([]);
  const [context, setContext] = useState("");
  const [focus, setFocus] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const look = data.look.value;

  async function begin(event: Event): Promise<void> {
    event.preventDefault();
    if (!data.chosen) return;
    setBusy(true);
    setTrouble(null);
    try {
      const requestId = newId();
      const investigation = {
        dataSources: [...data.chosen.sources], businessContext: context, investigationPrompt: focus, dimensions: [...dimensions],
        constraints: { timeout: { seconds: 180n } },
        ...(how === "words" ? { question } : { metricSql: metric }),
        ...(how === "parts" ? { baselinePeriod: periods.baseline, comparisonPeriod: periods.comparison } : {}),
        ...(how === "leaves" ? { leaf: true } : { timeColumn: time }),
      };
      await jobs.createJob({ requestId, sessionId: data.chosen.sessionId, work: { case: "investigation", value: investigation } });
      route(`/why/${requestId}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  const ready = how === "words" ? question.trim() !== "" : how === "leaves" || (metric.trim() !== "" && allSet(periods));
  const means = HOWS.find(([one]) => one === how)![2];
  return (
    <form class="card" onSubmit={(event) => void begin(event)}>
      <PickData data={data} />
      <fieldset class="stack">
        <legend class="legend">What moved</legend>
        <div class="choices">
          {HOWS.map(([one, words]) => (
            <label class={`choice ${how === one ? "on" : ""}`}><input type="radio" name="how" checked={how === one} onChange={() => setHow(one)} />{words}</label>
          ))}
        </div>
        <p class="muted small">{means}</p>
        {how === "words" && (
          <label class="field"><span>Question</span>
            <input type="text" value={question} placeholder="why did revenue drop in March?" onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
        )}
        {how !== "words" && (
          <label class="field"><span>{how === "leaves" ? "Measure (if there are several)" : "Metric"}</span>
            <input type="text" list="metrics" value={metric} placeholder={how === "leaves" ? "success / total" : "sum(revenue) / count(*)"} onInput={(event) => setMetric(event.currentTarget.value)} /></label>
        )}
        <datalist id="metrics">{metricsOf(look).map((one) => <option key={one} value={one} />)}</datalist>
        {how === "parts" && <PeriodFields look={look} periods={periods} change={setPeriods} time={time} setTime={setTime} />}
      </fieldset>
      <Dimensions look={look} chosen={dimensions} change={setDimensions} />
      <details>
        <summary>What you already know</summary>
        <div class="stack under">
          <label class="field"><span>What happened around then</span>
            <textarea rows={2} maxLength={5000} value={context} placeholder="a campaign ended on 1 March" onInput={(event) => setContext(event.currentTarget.value)} /></label>
          <label class="field"><span>Where you would look first</span>
            <textarea rows={2} maxLength={2000} value={focus} placeholder="web orders of the North" onInput={(event) => setFocus(event.currentTarget.value)} /></label>
        </div>
      </details>
      <InTrouble trouble={trouble} />
      <p class="row"><button class="button first" disabled={busy || !ready || !data.chosen}>{busy ? "Starting…" : "Investigate"}</button></p>
    </form>
  );
}

function allSet({ baseline, comparison }: Periods): boolean {
  return [baseline.start, baseline.end, comparison.start, comparison.end].every((day) => day !== "");
}

/** What a metric may be, from what columns mean. */
function metricsOf(look: ReturnType<typeof useData>["look"]["value"]): readonly string[] {
  const told = new Set(timesOf(look).map((one) => one.table));
  const tables = (look?.tables ?? []).filter((table) => told.size === 0 || told.has(table.name) || table.joins.length > 0);
  const columns = tables.flatMap((table) => table.columns);
  const sums = columns.filter((one) => one.kind === SemanticKind.AMOUNT || one.kind === SemanticKind.NUMBER).map((one) => `sum(${quoted(one.name)})`);
  const means = columns.filter((one) => one.kind === SemanticKind.INTENSIVE).map((one) => `avg(${quoted(one.name)})`);
  return [...new Set([...sums, ...means, "count(*)"])];
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
