// An investigation while it runs, and its result.
import { ArtifactType, type Claim } from "@gen/assay/common/v1/analysis_pb";
import { ReportStatus } from "@gen/assay/common/v1/investigation_pb";
import { useMemo, useState } from "preact/hooks";

import { waterfallOf } from "../charts/movement";
import { useEarly } from "../mesh/early";
import { findMade, type Made } from "../mesh/job_frames";
import { useLoaded } from "../mesh/loading";
import { nameOf } from "../mesh/saving";
import { hasEnded, type Seen, useWatched, type Watched } from "../mesh/watching";
import { DrawnSpec } from "../parts/chart";
import { ClaimShown } from "../parts/claim_shown";
import { Going, StateChip, Stuck } from "../parts/job_state";
import { SavedFiles } from "../parts/saved_files";
import { InTrouble, Waiting } from "../parts/states";
import { Steps } from "../parts/steps";
import { WordsWithClaims } from "../parts/words_with_claims";
import { sureness } from "../words/confidence";
import { count } from "../words/numbers";
import { Change } from "./change";
import { Course } from "./course";
import { Explained } from "./explained";
import { barsOf, newest } from "./frames";
import { Hypotheses } from "./hypotheses";

const NONE: readonly never[] = [];

export function Investigation({ jobId }: { jobId: string }) {
  const watched = useWatched(jobId);
  const { job, state } = watched;
  const ended = hasEnded(state);
  const settled = job !== null && hasEnded(job.state); // its result is stored a moment after its end
  const steps = useLoaded(async (signal) => (job && settled ? findMade(job, signal) : []), [jobId, settled]);
  const early = useEarly(jobId, ended ? NONE : watched.steps);
  const made = steps.value?.length ? steps.value : early.value ?? [];
  const result = job?.investigationResult;
  const answer = job?.result.value;
  const asked = job?.work.case === "investigation" ? job.work.value : undefined;
  const change = newest(made, "metric.change", (one) => one.rows !== null);
  const periods = periodsOf(change, result?.baselinePeriod ?? asked?.baselinePeriod, result?.comparisonPeriod ?? asked?.comparisonPeriod);
  const additive = change?.rows?.some((row) => row["statistic"] === "baseline_comparable") ?? false;
  const claims = answer?.claims ?? [];
  return (
    <>
      <header>
        <div><h1 class={`breaks ${watched.understood.length > 110 ? "long" : ""}`}>{sentence(watched.understood || asked?.question || asked?.metricSql || "An investigation")}</h1>
          <div class="row"><StateChip state={state} /><span class="muted small">where a metric moved, and the evidence</span></div></div>
        {watched.failure && asked?.question
          ? <a class="button not-printed" href={`/why?q=${encodeURIComponent(asked.question)}`}>Rephrase the question</a>
          : <a class="button not-printed" href="/why">New investigation</a>}
      </header>
      {!job && !watched.trouble && <Waiting />}
      <InTrouble trouble={watched.trouble} again={watched.again} />
      <Going watched={watched} jobId={jobId} />
      <Stuck watched={watched} jobId={jobId} again={watched.again} />
      {job && answer && <Result watched={watched} jobId={jobId} claims={claims} />}
      {steps.loading && settled && <Waiting>Loading the results of its steps…</Waiting>}
      <InTrouble trouble={steps.trouble} again={steps.again} />
      {change && <Change jobId={jobId} change={change} claims={claims} {...periods} />}
      <Waterfall made={newest(made, "metric.waterfall")} unit={result?.unit || result?.label || ""} />
      {result && result.explanations.length > 0 && (
        <section class="stack" aria-labelledby="explanations">
          <h2 id="explanations">Explanations</h2>
          {result.explanations.map((one) => <Explained key={one.rank} jobId={jobId} explanation={one} claims={claims} made={made} additive={additive} {...periods} />)}
        </section>
      )}
      <Hypotheses hypotheses={hypothesesOf(watched)} findings={watched.findings.length > 0 ? watched.findings : result?.ledger?.findings ?? []} />
      <Course iterations={result?.iterations ?? []} findings={watched.findings} />
      {watched.steps.length > 0 && <details open={!ended}><summary>{count(watched.steps.length, "step")}</summary><div class="card under"><Steps steps={watched.steps} /></div></details>}
    </>
  );
}

function Result({ watched, jobId, claims }: { watched: Watched; jobId: string; claims: readonly Claim[] }) {
  const [claim, setClaim] = useState<Claim | null>(null);
  const answer = watched.job!.result.value!;
  const sure = sureness(answer.confidence);
  const nothing = watched.job!.investigationResult?.status === ReportStatus.NO_FINDINGS;
  return (
    <section class="card answer" aria-label="The answer">
      <WordsWithClaims jobId={jobId} answer={answer} open={setClaim} />
      <p class="row">
        {nothing && <span class="chip warn">nothing stands out; what was ruled out is below</span>}
        <span class={`chip ${sure.tone}`} title={sure.means}>{sure.word}</span>
        <a class="chip" href={`/proof/${jobId}`}>{count(claims.length, "number")} proved</a>
        <span class="chip muted">by {answer.reasoner || "rules"}</span>
      </p>
      {answer.caveats.length > 0 && <ul class="note">{answer.caveats.map((one) => <li class="breaks">{one}</li>)}</ul>}
      <SavedFiles files={answer.artifacts.filter((one) => one.artifactType === ArtifactType.REPORT)}
        words={(one) => (nameOf(one).endsWith(".md") ? "Report (Markdown)" : "Report (HTML)")} />
      <ClaimShown jobId={jobId} claim={claim} close={() => setClaim(null)} />
    </section>
  );
}

function Waterfall({ made, unit }: { made: Made | undefined; unit: string }) {
  const bars = useMemo(() => barsOf(made?.rows ?? []), [made]);
  const spec = useMemo(() => (bars.length > 1 ? waterfallOf(bars, unit) : null), [bars, unit]);
  if (!spec) return null;
  return <DrawnSpec spec={spec} title="From baseline to comparison" words={`From ${bars[0]!.label} to ${bars.at(-1)!.label}: ${bars.slice(1, -1).map((bar) => `${bar.label} ${bar.effect.toPrecision(4)}`).join(", ")}.`} />;
}

/** The periods that were really compared: those of the call, once there is one. */
function periodsOf<Range>(change: Made | undefined, baseline: Range | undefined, comparison: Range | undefined) {
  const asked = (name: string) => change?.asked[name] as Range | null | undefined;
  return { baseline: asked("baseline") ?? baseline, comparison: asked("comparison") ?? comparison };
}

/** What was heard on the way knows how each came to be; the result knows them in any case. */
function hypothesesOf(watched: Watched): readonly Seen[] {
  const heard = new Map(watched.hypotheses.map((one) => [one.now.hypothesisId, one]));
  for (const now of watched.job?.investigationResult?.hypotheses ?? []) if (!heard.has(now.hypothesisId)) heard.set(now.hypothesisId, { now, states: [now.status] });
  return [...heard.values()];
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
