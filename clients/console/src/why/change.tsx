// The change itself: from what to what, how sure, and whether so much is usual.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { DateRange } from "@gen/assay/common/v1/investigation_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";
import { useMemo } from "preact/hooks";

import { usualOf } from "../charts/movement";
import type { Made } from "../mesh/job_frames";
import { useLoaded } from "../mesh/loading";
import { who } from "../mesh/who";
import { Claimed } from "../parts/claimed";
import { DrawnSpec } from "../parts/chart";
import { InTrouble, Waiting } from "../parts/states";
import { percent, short, signed } from "../words/amounts";
import { claimOf, relabelledOf, type Statistic, statisticsOf } from "./frames";
import { findPlacebos } from "./placebo";

interface Props {
  readonly job: Job;
  readonly change: Made;
  readonly history: Made | undefined;
  readonly series: Made | undefined;
  readonly claims: readonly Claim[];
  readonly baseline: DateRange | undefined;
  readonly comparison: DateRange | undefined;
}

export function Change({ job, change, history, series, claims, baseline, comparison }: Props) {
  const jobId = job.jobId;
  const statistics = useMemo(() => statisticsOf(change.rows ?? []), [change]);
  const get = (name: string): Statistic | undefined => statistics.get(name);
  const shown = (name: string, words: (value: number) => string, column: "value" | "low" | "high" = "value") => {
    const found = get(name);
    const value = found?.[column] ?? null;
    return found && value !== null ? <Claimed jobId={jobId} claim={claimOf(claims, change.digest, found.row, column)}>{words(value)}</Claimed> : null;
  };
  const difference = get("difference");
  // What was really scaled is told by the answer: of different things there is nothing to scale.
  const raw = get("baseline");
  const forecast = raw?.text === "forecast";
  const scaled = raw !== undefined && !forecast && get("baseline_comparable") !== undefined && claimOf(claims, change.digest, raw.row, "value") !== undefined;
  const p = get("p_value")?.value ?? null;
  const unusual = p !== null && p <= 0.05;
  return (
    <section class="card" aria-labelledby="the-change">
      <div class="row apart"><h2 id="the-change">The change</h2>
        {p !== null && <span class={`chip ${unusual ? "warn" : "good"}`}>{unusual ? "more than usual" : "no more than usual"}</span>}</div>
        <dl class="moved">
          <div><dt>{forecast ? "forecast" : scaled ? "before, scaled to as many days" : "before"}</dt><dd>{(forecast ? null : shown("baseline_comparable", short)) ?? shown("baseline", short)}</dd>
            {baseline && <dd class="muted small">{spanWords(baseline)}{scaled && <>; as it was: {shown("baseline", short)}</>}</dd>}</div>
          <div><dt>{forecast ? "actual" : "after"}</dt><dd>{shown("comparison", short)}</dd>{comparison && <dd class="muted small">{spanWords(comparison)}</dd>}</div>
          <div class={(difference?.value ?? 0) < 0 ? "down" : "up"}><dt>{forecast ? "off by" : "moved by"}</dt><dd>{shown("difference", signed)} <span class="lesser">{shown("relative", percent)}</span></dd>
            {difference?.low !== null && <dd class="muted small">95 % interval {shown("difference", signed, "low")} to {shown("difference", signed, "high")}</dd>}</div>
          <div><dt>by chance alone</dt><dd>{p === null ? "not known" : <>{get("p_at_most")?.value ? "p < " : "p = "}{shown("p_value", chance)}</>}</dd>
            <dd class="muted small breaks">{get("null")?.text}</dd></div>
        </dl>
      {scaled && change.notes.map((note) => <p class="muted small breaks">{note}</p>)}
      {baseline && comparison && <Usual {...{ job, statistics, history, series, baseline, comparison }} />}
    </section>
  );
}

/** As metric.change has it: fewer cannot show a probability of 5 %. */
const FEWEST_PAIRS = 19;

interface UsualProps {
  readonly job: Job;
  readonly statistics: ReadonlyMap<string, Statistic>;
  readonly history: Made | undefined;
  readonly series: Made | undefined;
  readonly baseline: DateRange;
  readonly comparison: DateRange;
}

/** This change among those that nothing caused: earlier pairs of periods, else the days of both dealt out anew. */
function Usual({ job, statistics, history, series, baseline, comparison }: UsualProps) {
  const pairs = statistics.get("pairs")?.value ?? 0;
  const may = who.value?.role !== "reader";
  const placebos = useLoaded(
    async (signal) => (pairs > 0 && history && may ? findPlacebos(job, history, baseline, comparison, signal) : null),
    [job.jobId, history?.digest, pairs, may],
  );
  const additive = statistics.has("baseline_comparable");
  const dealt = useMemo(() => (additive && series?.rows ? relabelledOf(series.rows, baseline, comparison) : []), [series]);
  const [before, after] = [statistics.get("baseline_comparable") ?? statistics.get("baseline"), statistics.get("comparison")].map((one) => one?.value ?? Number.NaN) as [number, number];
  const own = (after - before) / ((Math.abs(before) + Math.abs(after)) / 2);
  const earlier = placebos.value && placebos.value.changes.length > 0 ? placebos.value : null;
  const others = earlier?.changes ?? dealt;
  const title = earlier ? `How far it moved in ${others.length} earlier pairs of periods` : `What chance alone does: the days of both periods dealt out anew, ${others.length} times`;
  const spec = useMemo(() => (!placebos.loading && others.length > 0 && Number.isFinite(own) ? usualOf(others, own, "change, as a part of the mean of both periods") : null), [others, own, title, placebos.loading]);
  const larger = others.filter((one) => Math.abs(one) >= Math.abs(own)).length;
  return (
    <>
      {placebos.loading && pairs > 0 && <Waiting>Adding up the placebo periods…</Waiting>}
      <InTrouble trouble={placebos.trouble} again={placebos.again} />
      {spec && <DrawnSpec spec={spec} title={title} words={`${title}; ${larger} of ${others.length} are as large as this change.`} />}
      {spec && earlier && <p class="small">Placebo periods: of {others.length} earlier pairs of the same lengths and weekdays, {larger} moved as far or further.{others.length < FEWEST_PAIRS && " They are too few to judge by: the probability above is from the days of both periods."}{" "}
        <span class="muted">Worked out in this page from <a href={`/proof/${earlier.jobId}`}>the metric day by day</a>, a question with a proof of its own.</span></p>}
      {spec && !earlier && <p class="small">{larger} of {others.length} are as large as this change.{" "}
        <span class="muted">Drawn in this page, for looking; the probability above is the mesh's own.{pairs === 0 && " The investigation had no earlier pairs of periods of the same lengths to hold it against."}</span></p>}
    </>
  );
}

function chance(value: number): string {
  return value < 0.001 ? value.toFixed(4) : value.toFixed(3);
}

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** A month is called by its name, everything else by its days. */
export function spanWords({ start, end }: DateRange): string {
  const [first, last] = [new Date(`${start}T00:00:00Z`), new Date(`${end}T00:00:00Z`)];
  const whole = first.getUTCDate() === 1 && new Date(last.getTime() + 86_400_000).getUTCDate() === 1;
  if (whole && first.getUTCFullYear() === last.getUTCFullYear() && first.getUTCMonth() === last.getUTCMonth()) return MONTH.format(first);
  if (whole && first.getUTCMonth() === 0 && last.getUTCMonth() === 11 && first.getUTCFullYear() === last.getUTCFullYear()) return start.slice(0, 4);
  return `${start} to ${end}`;
}
