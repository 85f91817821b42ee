// One explanation: how much it is, its line against the rest, and its evidence.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import { type Explanation, Likelihood } from "@gen/assay/common/v1/investigation_pb";
import type { DateRange } from "@gen/assay/common/v1/investigation_pb";
import { useMemo } from "preact/hooks";

import { besideOf } from "../charts/movement";
import type { Made } from "../mesh/job_frames";
import { ClaimedWords } from "../parts/claimed";
import { DrawnSpec } from "../parts/chart";
import { short, signed } from "../words/amounts";
import { spanWords } from "./change";
import { day, linesOf, seriesOf } from "./frames";

const LIKELY: Record<Likelihood, readonly [string, string]> = {
  [Likelihood.UNSPECIFIED]: ["", ""],
  [Likelihood.MOST_LIKELY]: ["most likely", "accent"],
  [Likelihood.LIKELY]: ["likely", "accent"],
  [Likelihood.POSSIBLE]: ["possible", ""],
  [Likelihood.LESS_LIKELY]: ["less likely", ""],
};

interface Props {
  readonly jobId: string;
  readonly explanation: Explanation;
  readonly claims: readonly Claim[];
  readonly made: readonly Made[];
  readonly additive: boolean;
  readonly baseline: DateRange | undefined;
  readonly comparison: DateRange | undefined;
}

export function Explained({ jobId, explanation, claims, made, additive, baseline, comparison }: Props) {
  const { effect } = explanation;
  const [word, tone] = LIKELY[explanation.likelihood];
  return (
    <article class="card explanation" aria-label={explanation.title}>
      <div class="row"><span class="rank" aria-hidden="true">{explanation.rank}</span><h3 class="breaks">{explanation.title}</h3>
        {word && <span class={`chip ${tone}`}>{word}</span>}<span class="chip muted">{explanation.basis || "associational"}</span></div>
      {effect && (
        <p class="effect"><strong class="number">{signed(effect.value)}</strong>
          {effect.low !== undefined && effect.high !== undefined && <span class="muted number"> between {short(effect.low)} and {short(effect.high)}</span>}
          {effect.share !== undefined && <Share part={effect.share} />}</p>
      )}
      <ul class="stack tight">
        {explanation.evidence.map((one) => (
          <li class="evidence"><ClaimedWords jobId={jobId} text={one.text} claims={claims.filter((claim) => one.claimIds.includes(claim.claimId))} /></li>
        ))}
      </ul>
      {baseline && comparison && <Beside {...{ explanation, made, additive, baseline, comparison }} />}
      <details class="small"><summary>Reasoning</summary>
        <p class="breaks">{explanation.causalStory}</p><p class="muted breaks">{explanation.reasoning}</p></details>
      {explanation.canBeHandedOver && (
        <p class="row not-printed"><a class="button little" href={`/cause?from=${jobId}&explanation=${explanation.rank}`}>Run a causal study</a>
          <span class="muted small">This shows where the metric moved. Whether the segment causes it is a causal question.</span></p>
      )}
    </article>
  );
}

function Share({ part }: { part: number }) {
  const shown = Math.max(0, Math.min(1, part));
  return (
    <span class="share"><meter min={0} max={1} value={shown} aria-label="Share of the total change">{Math.round(part * 100)} %</meter>
      <span class="number">{Math.round(part * 100)} % of the total change</span></span>
  );
}

interface BesideProps {
  readonly explanation: Explanation;
  readonly made: readonly Made[];
  readonly additive: boolean;
  readonly baseline: DateRange;
  readonly comparison: DateRange;
}

function Beside({ explanation, made, additive, baseline, comparison }: BesideProps) {
  const spec = useMemo(() => {
    const own = seriesOf(made, explanation)?.rows;
    const whole = made.findLast((one) => one.tool === "metric.series" && Object.keys((one.asked["within"] ?? {}) as object).length === 0)?.rows;
    if (!own || !whole) return null;
    const called = explanation.segment.map((one) => one.value ?? "(missing)").join(", ");
    const names = [called, additive ? "everything else" : "the total"] as const;
    const points = linesOf(own, whole, additive, baseline, names);
    const shades = [baseline, comparison].map((span, at) => ({ from: day(span.start), to: day(span.end) + 86_400_000, label: at === 0 ? `baseline: ${spanWords(span)}` : spanWords(span) }));
    return points && besideOf(points, shades, explanation.onset ? day(explanation.onset) : null, names);
  }, [made, explanation]);
  if (!spec) return null;
  return <DrawnSpec spec={spec} title={`The segment and ${additive ? "everything else" : "the total"}`} words={`${explanation.title}: the segment over time and ${additive ? "everything else" : "the total"}, each indexed to 100 in its own baseline.`} />;
}
