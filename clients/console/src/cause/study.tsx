// A causal study while it runs, and its conclusion.
import { ArtifactType, type Claim } from "@gen/assay/common/v1/analysis_pb";
import type { AnalysisState, CausalResult } from "@gen/assay/common/v1/causal_pb";
import { CritiqueDecision } from "@gen/assay/common/v1/findings_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";
import { useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { useEarly } from "../mesh/early";
import { findMade } from "../mesh/job_frames";
import { useLoaded } from "../mesh/loading";
import { nameOf } from "../mesh/saving";
import { hasEnded, useWatched, type Watched } from "../mesh/watching";
import { ClaimShown } from "../parts/claim_shown";
import { Going, StateChip, Stuck } from "../parts/job_state";
import { SavedFiles } from "../parts/saved_files";
import { InTrouble, Waiting } from "../parts/states";
import { Steps } from "../parts/steps";
import { WordsWithClaims } from "../parts/words_with_claims";
import { count } from "../words/numbers";
import { binsOf, Comparable } from "./comparable";
import { Debate } from "./debate";
import { Effects } from "./effects";
import { Graph } from "./graph";
import { Phases } from "./phases";
import { Sensitivity } from "./sensitivity";

export function Study({ jobId }: { jobId: string }) {
  const watched = useWatched(jobId);
  const { job, state } = watched;
  const ended = hasEnded(state);
  const settled = job !== null && hasEnded(job.state); // its result is stored a moment after its end
  const phase = watched.phases.length;
  // Only GetJob has the intermediate state: it is called again as each phase begins.
  const sofar = useLoaded(async (signal) => (job && !ended && phase > 0 ? (await jobs.getJob({ jobId }, { signal })).job?.causalState : undefined), [jobId, phase, ended, job === null]);
  const made = useLoaded(async (signal) => (job && settled ? findMade(job, signal) : []), [jobId, settled]);
  const known: AnalysisState | undefined = job?.causalResult?.state ?? (settled ? job?.causalState : sofar.value ?? job?.causalState);
  const claims = job?.result.value?.claims ?? [];
  const checked = useEarly(jobId, watched.steps);
  return (
    <>
      <header>
        <div><h1 class={`breaks ${watched.understood.length > 110 ? "long" : ""}`}>{watched.understood ? sentence(watched.understood) : "A causal study"}</h1>
          <div class="row"><StateChip state={state} />{job?.parentJobId && <a class="chip" href={`/why/${job.parentJobId}`}>from an investigation</a>}</div></div>
        <a class="button not-printed" href="/cause">New study</a>
      </header>
      {!job && !watched.trouble && <Waiting />}
      <InTrouble trouble={watched.trouble} again={watched.again} />
      <Going watched={watched} jobId={jobId} />
      {job && !job.causalResult && <Phases watched={watched} running={!ended} />}
      <Stuck watched={watched} jobId={jobId} again={watched.again} />
      {job?.causalResult && <Verdict job={job} result={job.causalResult} />}
      {known?.errorMessage && known.errorAgent && <p class="note bad breaks">{known.errorAgent}: {known.errorMessage}</p>}
      {job && known?.proposedDag && known.proposedDag.nodes.length > 0 && <Graph key={`${jobId}${known.proposedDag.edges.length}`} job={job} graph={known.proposedDag} ended={ended} />}
      {known && <Comparable diagnostics={known.psDiagnostics} confounders={known.confounderDiscovery} treatment={known.treatmentVariable} bins={binsOf(checked.value ?? [])} />}
      {known && known.treatmentEffects.length > 0 && <Effects jobId={jobId} effects={known.treatmentEffects} speaks={job?.causalResult?.effect} claims={claims} made={made.value ?? []} />}
      <InTrouble trouble={made.trouble} again={made.again} />
      {known && <Sensitivity found={known.sensitivityResults} outcome={known.outcomeVariable} />}
      {known && <Debate history={known.debateHistory} />}
      <AllSteps watched={watched} ended={ended} />
    </>
  );
}

function AllSteps({ watched, ended }: { watched: Watched; ended: boolean }) {
  if (watched.steps.length === 0) return null;
  return <details open={!ended}><summary>{count(watched.steps.length, "step")}</summary><div class="card under"><Steps steps={watched.steps} /></div></details>;
}

const VERDICTS: Record<CritiqueDecision, readonly [string, string, string]> = {
  [CritiqueDecision.UNSPECIFIED]: ["not judged", "", ""],
  [CritiqueDecision.APPROVE]: ["approved", "good", "An effect is concluded, under a condition that no data can confirm."],
  [CritiqueDecision.ITERATE]: ["inconclusive", "warn", "Estimates are shown, but nothing is concluded from them."],
  [CritiqueDecision.REJECT]: ["rejected", "bad", "This data cannot answer the question."],
};

function Verdict({ job, result }: { job: Job; result: CausalResult }) {
  const [claim, setClaim] = useState<Claim | null>(null);
  const [word, tone, means] = VERDICTS[result.verdict];
  const answer = job.result.value;
  const judged = result.state?.critiqueHistory.at(-1);
  if (!answer) return null;
  const files = answer.artifacts.filter((one) => one.artifactType === ArtifactType.REPORT || one.artifactType === ArtifactType.TABLE);
  return (
    <section class={`card answer verdict ${tone}`} aria-label="The verdict">
      <p class="row"><span class={`chip ${tone}`}>{word}</span><span>{means}</span></p>
      <WordsWithClaims jobId={job.jobId} answer={answer} open={setClaim} />
      <p class="row"><a class="chip" href={`/proof/${job.jobId}`}>{count(answer.claims.length, "number")} proved</a><span class="chip muted">by {answer.reasoner || "rules"}</span></p>
      {judged && judged.issues.length > 0 && <ul class="note warn">{judged.issues.map((one) => <li class="breaks">{one}</li>)}</ul>}
      {answer.caveats.length > 0 && <details open={answer.caveats.length < 3}><summary>{count(answer.caveats.length, "caveat")}</summary><ul class="note under">{answer.caveats.map((one) => <li class="breaks">{one}</li>)}</ul></details>}
      {result.state && result.state.recommendations.length > 0 && (
        <div class="stack tight"><h2>Next steps</h2><ul class="stack tight">{result.state.recommendations.map((one) => <li class="evidence breaks">{one}</li>)}</ul></div>
      )}
      <SavedFiles files={files} words={(one) => FILES[nameOf(one)] ?? nameOf(one)} />
      <ClaimShown jobId={job.jobId} claim={claim} close={() => setClaim(null)} />
    </section>
  );
}

const FILES: Readonly<Record<string, string>> = {
  "notebook.ipynb": "Notebook", "notebook.html": "Notebook (HTML)", "report.md": "Report (Markdown)", "report.html": "Report (HTML)", "data.parquet": "Data (Parquet)",
};

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
