// Where a job is: its state as a chip, how far it is, and what it was refused with or asks.
import { JobState, StepState } from "@gen/assay/common/v1/job_pb";
import { useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { hasEnded, type Watched } from "../mesh/watching";
import { InTrouble } from "./states";

const STATES: Record<JobState, readonly [string, string]> = {
  [JobState.UNSPECIFIED]: ["", ""],
  [JobState.SUBMITTED]: ["queued", ""],
  [JobState.PLANNING]: ["planning", "accent"],
  [JobState.WAITING]: ["needs your answer", "warn"],
  [JobState.EXECUTING]: ["running", "accent"],
  [JobState.COMPLETED]: ["done", "good"],
  [JobState.FAILED]: ["not answered", "bad"],
  [JobState.PARTIAL_SUCCESS]: ["partly done", "warn"],
  [JobState.CANCELLED]: ["stopped", "warn"],
};

export function StateChip({ state }: { state: JobState }) {
  const [word, tone] = STATES[state];
  return word ? <span class={`chip ${tone}`}>{word}</span> : null;
}

/** How far a job is while it runs, with the way to stop it. */
export function Going({ watched, jobId }: { watched: Watched; jobId: string }) {
  const [stopping, setStopping] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const { state, progress, broken } = watched;
  if (state === JobState.UNSPECIFIED || hasEnded(state) || state === JobState.WAITING) return null;

  async function stop(): Promise<void> {
    setStopping(true);
    try {
      await jobs.cancelJob({ jobId });
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
      setStopping(false);
    }
  }

  const place = progress?.queuePosition;
  const now = watched.steps.findLast((step) => step.state === StepState.RUNNING)?.description;
  return (
    <section class="card going" aria-label="Job progress">
      <div class="row apart">
        <p class="breaks" role="status">{broken ? "The connection was lost and is being restored. The job keeps running."
          : place ? `${place} ahead of it in the queue` : now || progress?.reason || "starting"}</p>
        <button type="button" class="button little danger" disabled={stopping} onClick={() => void stop()}>{stopping ? "Stopping…" : "Stop"}</button>
      </div>
      <progress class="far" max={100} value={progress?.percent ?? 0} aria-label="Progress">{progress?.percent ?? 0} %</progress>
      <InTrouble trouble={trouble} />
    </section>
  );
}

/** Why there is no result, or what a person has to say first. */
export function Stuck({ watched, jobId, again }: { watched: Watched; jobId: string; again: () => void }) {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const { failure, clarification, state } = watched;

  async function answer(optionId: string): Promise<void> {
    try {
      await jobs.answerJob({ jobId, reply: { case: "optionId", value: optionId } });
      again();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
  }

  return (
    <>
      {failure && (
        <div class={`note ${state === JobState.CANCELLED ? "warn" : "bad"}`} role="alert">
          <p class="breaks"><strong>{failure.message}</strong></p>
          {failure.hint && <p class="breaks">{failure.hint}</p>}
          <p class="small"><code>{failure.reason}</code></p>
        </div>
      )}
      {clarification && state === JobState.WAITING && (
        <section class="card" aria-label="Clarification needed">
          <h2 class="breaks">{clarification.question}</h2>
          <ul class="stack tight">
            {clarification.options.map((option) => (
              <li><button type="button" class="button" onClick={() => void answer(option.optionId)}><span class="breaks">{option.text}{option.glimpse && ` · ${option.glimpse}`}</span></button></li>
            ))}
          </ul>
        </section>
      )}
      <InTrouble trouble={trouble} />
    </>
  );
}
