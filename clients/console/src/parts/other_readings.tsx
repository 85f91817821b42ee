// What else the question could have meant, each with a little of what it gives; one that was not run is run on demand.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Agreement, type OtherProposal } from "@gen/assay/common/v1/proposals_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { submitStatement } from "../mesh/statements";
import { count } from "../words/numbers";
import { InTrouble, Waiting } from "./states";

const AGREES: Partial<Record<Agreement, string>> = {
  [Agreement.SAME]: "gives the same rows",
  [Agreement.SUBSET]: "gives the same rows with more or fewer columns",
  [Agreement.SCALED]: "gives the same rows in another unit (percent or fraction)",
  [Agreement.DIFFERS]: "gives different rows",
  [Agreement.FAILS]: "does not run",
  [Agreement.NOT_COMPARED]: "was not compared",
};

interface Props {
  readonly job: Job;
  readonly say: ((words: string) => void) | null;
}

/** Readings that could have been meant, from the proposal that stands. */
export function othersOf(job: Job): readonly OtherProposal[] {
  return (job.plan?.proposal?.others ?? []).filter((one) => one.interpretation);
}

export function OtherReadings({ job, say }: Props) {
  const others = othersOf(job);
  if (others.length === 0) return null;
  return (
    <section class="stack tight others not-printed" aria-label="Other readings">
      <h3>{others.length === 1 ? "Another reading" : `${count(others.length, "other reading")}`}</h3>
      <ul class="listing">{others.map((one) => <li key={one.interpretation}><Other job={job} other={one} say={say} /></li>)}</ul>
    </section>
  );
}

function Other({ job, other, say }: { job: Job; other: OtherProposal; say: Props["say"] }) {
  const beside = useMemo(() => signal<{ running: boolean; job: Job | null; trouble: Trouble | null }>({ running: false, job: null, trouble: null }), []);
  const { running, job: run, trouble } = beside.value;

  async function runBeside(): Promise<void> {
    beside.value = { running: true, job: null, trouble: null };
    try {
      const jobId = await submitStatement(job, other.statement);
      for await (const _ of jobs.watchJob({ jobId })) void _; // until it has ended
      beside.value = { running: false, job: (await jobs.getJob({ jobId })).job ?? null, trouble: null };
    } catch (thrown) {
      beside.value = { running: false, job: null, trouble: troubleOf(thrown) };
    }
  }

  const answer = run?.result.case === "answer" ? run.result.value : null;
  return (
    <div class="stack tight">
      <div class="row apart">
        <span class="breaks">{other.interpretation}</span>
        {run ? <a class="button little" href={`/answer/${run.jobId}`}>Open it</a>
          : other.statement ? <button type="button" class="button little" disabled={running} onClick={() => void runBeside()}>Run it</button>
          : say && <button type="button" class="button little" onClick={() => say(other.interpretation)}>Ask it so</button>}
      </div>
      {other.glimpse ? <p class="gives breaks">{other.glimpse}</p>
        : <p class="muted small breaks">{AGREES[other.compared]}{other.told && ` · ${other.told}`}</p>}
      {running && <Waiting>Running it…</Waiting>}
      {answer && <p class="gives breaks">{answer.text}</p>}
      {run?.failure && <p class="breaks">{run.failure.message} <code>{run.failure.reason}</code></p>}
      <InTrouble trouble={trouble} />
    </div>
  );
}
