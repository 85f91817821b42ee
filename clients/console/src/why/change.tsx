// The change itself: from what to what, how sure, and whether so much is usual.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { DateRange } from "@gen/assay/common/v1/investigation_pb";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

import { amongBinsOf, amongPairsOf } from "../charts/movement";
import type { Made } from "../mesh/job_frames";
import { Claimed } from "../parts/claimed";
import { DrawnSpec } from "../parts/chart";
import { percent, short, signed } from "../words/amounts";
import { count } from "../words/numbers";
import { claimOf, type Statistic, statisticsOf, usualOf } from "./frames";

interface Props {
  readonly jobId: string;
  readonly change: Made;
  readonly claims: readonly Claim[];
  readonly baseline: DateRange | undefined;
  readonly comparison: DateRange | undefined;
}

export function Change({ jobId, change, claims, baseline, comparison }: Props) {
  const statistics = useMemo(() => statisticsOf(change.rows ?? []), [change]);
  const get = (name: string): Statistic | undefined => statistics.get(name);
  const shown = (name: string, words: (value: number) => string, column: "value" | "low" | "high" = "value") => {
    const found = get(name);
    const value = found?.[column] ?? null;
    return found && value !== null ? <Claimed jobId={jobId} claim={claimOf(claims, change.digest, found.row, column)}>{words(value)}</Claimed> : null;
  };
  const difference = get("difference");
  // The answer shows whether values were scaled: distinct counts are not.
  const raw = get("baseline");
  const forecast = raw?.text === "forecast";
  const told = claims.length === 0 || (raw !== undefined && claimOf(claims, change.digest, raw.row, "value") !== undefined);
  const scaled = raw !== undefined && !forecast && told && Boolean(get("baseline_comparable")?.text);
  const p = get("p_value")?.value ?? null;
  const unusual = p !== null && p <= 0.05;
  return (
    <section class="card" aria-labelledby="the-change">
      <div class="row apart"><h2 id="the-change">The change</h2>
        {p !== null && <span class={`chip ${unusual ? "warn" : "good"}`}>{unusual ? "significant at 5 %" : "not significant at 5 %"}</span>}</div>
        <dl class="moved">
          <div><dt>{forecast ? "forecast" : scaled ? "before, scaled to the same number of days" : "before"}</dt><dd>{(forecast ? null : shown("baseline_comparable", short)) ?? shown("baseline", short)}</dd>
            {baseline && <dd class="muted small">{spanWords(baseline)}{scaled && <>; unscaled: {shown("baseline", short)}</>}</dd>}</div>
          <div><dt>{forecast ? "actual" : "after"}</dt><dd>{shown("comparison", short)}</dd>{comparison && <dd class="muted small">{spanWords(comparison)}</dd>}</div>
          <div class={(difference?.value ?? 0) < 0 ? "down" : "up"}><dt>{forecast ? "off by" : "moved by"}</dt><dd>{shown("difference", signed)} <span class="lesser">{shown("relative", percent)}</span></dd>
            {difference?.low !== null && <dd class="muted small">95 % interval {shown("difference", signed, "low")} to {shown("difference", signed, "high")}</dd>}</div>
          <div><dt>significance</dt><dd>{p === null ? "not known" : <>{get("p_at_most")?.value ? "p < " : "p = "}{shown("p_value", chance)}</>}</dd>
            <dd class="muted small breaks">{get("null")?.text}</dd></div>
        </dl>
      {scaled && change.notes.map((note) => <p class="muted small breaks">{note}</p>)}
      <Usual change={change} told={(name) => shown(name, (value) => value.toLocaleString("en"))} />
    </section>
  );
}

/** As metric.change has it: fewer cannot show a probability of 5 %. */
const FEWEST_PAIRS = 19;

/** This change among those that nothing caused, as the step that told it has them: earlier pairs of periods, and the days
 * of both reshuffled. */
function Usual({ change, told }: { change: Made; told: (name: string) => VNode | null }) {
  const usual = useMemo(() => usualOf(change.rows ?? []), [change]);
  const pairs = useMemo(() => (usual && usual.pairs.length > 0 ? amongPairsOf(usual.pairs, usual.own) : null), [usual]);
  const bins = useMemo(() => (usual && usual.bins.length > 0 ? amongBinsOf(usual.bins, usual.own) : null), [usual]);
  if (!usual) return null;
  const earlier = `Placebo: the change in ${count(usual.pairs.length, "earlier pair")} of periods`;
  const dealt = "Permutation: the days of both periods reshuffled";
  return (
    <>
      {pairs && <DrawnSpec spec={pairs} title={earlier} words={`${earlier}, beside this change.`} />}
      {pairs && <p class="small">Placebo periods: of {told("pairs")} earlier pairs of the same lengths and weekdays, {told("pairs_as_large")} moved at least as far.
        {usual.pairs.length < FEWEST_PAIRS && " They are too few to judge by: the p-value above comes from the days of both periods."}</p>}
      {bins && <DrawnSpec spec={bins} title={dealt} words={`${dealt}, beside this change.`} />}
      {bins && <p class="small">Of {told("relabellings")} permutations of the days, {told("relabellings_as_large")} move it at least as far.
        {!pairs && " There were no earlier pairs of periods of the same lengths to compare it with."}</p>}
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
