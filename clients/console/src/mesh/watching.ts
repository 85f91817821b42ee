// A job while it runs: its events are folded into one state, and a broken stream resumes where it broke.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { CausalStatus } from "@gen/assay/common/v1/causal_pb";
import type { Critique, Finding, Hypothesis, HypothesisStatus } from "@gen/assay/common/v1/findings_pb";
import { type Clarification, type Failure, type Job, type JobEvent, type JobProgress, JobState, type Step, StepState } from "@gen/assay/common/v1/job_pb";
import { useEffect, useState } from "preact/hooks";

import { jobs } from "./calls";
import { type Trouble, troubleOf } from "./errors";

/** A hypothesis with the states that it went through. */
export interface Seen {
  readonly now: Hypothesis;
  readonly states: readonly HypothesisStatus[];
}

export interface Watched {
  readonly job: Job | null;
  readonly state: JobState;
  readonly progress: JobProgress | null;
  readonly understood: string;
  readonly steps: readonly Step[];
  readonly hypotheses: readonly Seen[];
  readonly findings: readonly Finding[];
  readonly critiques: readonly Critique[];
  readonly phases: readonly { readonly status: CausalStatus; readonly at: Timestamp | undefined }[];
  readonly clarification: Clarification | null;
  readonly failure: Failure | null;
  readonly trouble: Trouble | null;
  readonly broken: boolean;
}

const NOTHING: Watched = {
  job: null, state: JobState.UNSPECIFIED, progress: null, understood: "", steps: [], hypotheses: [], findings: [],
  critiques: [], phases: [], clarification: null, failure: null, trouble: null, broken: false,
};
const AGAIN_MILLISECONDS = [300, 1000, 2000, 4000, 8000, 8000, 8000, 8000];
const ENDED = new Set([JobState.COMPLETED, JobState.FAILED, JobState.PARTIAL_SUCCESS, JobState.CANCELLED]);

export function hasEnded(state: JobState): boolean {
  return ENDED.has(state);
}

/** The job of this id, watched for as long as the page shows; `again` takes it up once it was answered. */
export function useWatched(jobId: string): Watched & { readonly again: () => void } {
  const [watched, setWatched] = useState(NOTHING);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setWatched(NOTHING);
    if (jobId) void watch(jobId, together((change) => !stop.signal.aborted && setWatched(change)), stop.signal);
    return () => stop.abort();
  }, [jobId, round]);
  return { ...watched, again: () => setRound((before) => before + 1) };
}

type Change = (before: Watched) => Watched;

const TOGETHER_MILLISECONDS = 30;

/** Changes that come at nearly the same time told as one: of a job that has ended hundreds of events come at once. */
function together(tell: (change: Change) => void): (change: Change) => void {
  let waiting: Change[] = [];
  return (change) => {
    waiting.push(change);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const all = waiting;
      waiting = [];
      tell((before) => all.reduce((watched, one) => one(watched), before));
    }, TOGETHER_MILLISECONDS);
  };
}

async function watch(jobId: string, tell: (change: Change) => void, signal: AbortSignal): Promise<void> {
  let after = 0n;
  for (let failures = 0; ; failures++) {
    try {
      const found = (await jobs.getJob({ jobId }, { signal })).job ?? null;
      tell(taken(found));
      for await (const { event } of jobs.watchJob({ jobId, afterSequence: after }, { signal })) {
        failures = 0;
        if (!event) continue;
        after = event.sequence;
        tell((before) => ({ ...told(before, event), trouble: null, broken: false }));
      }
      // One that had ended stays as it was; told again, all that is drawn of it would be drawn again.
      if (found === null || !hasEnded(found.state)) tell(taken((await jobs.getJob({ jobId }, { signal })).job ?? null));
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      const trouble = troubleOf(thrown);
      const pause = trouble?.retryable ? AGAIN_MILLISECONDS[failures] : undefined;
      tell((before) => ({ ...before, trouble: pause === undefined ? trouble : before.trouble, broken: pause !== undefined }));
      if (pause === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** The stored job takes precedence over the events received so far. */
function taken(job: Job | null): Change {
  return (before) => job === null ? before : {
    ...before, job, state: job.state, progress: job.progress ?? before.progress, understood: job.understood || before.understood,
    steps: job.steps.length >= before.steps.length ? job.steps : before.steps,
    clarification: job.clarification ?? null, failure: job.failure ?? null, trouble: null, broken: false,
  };
}

function told(before: Watched, { event, timestamp }: JobEvent): Watched {
  switch (event.case) {
    case "state":
      return { ...before, state: hasEnded(before.state) ? before.state : event.value };
    case "understood":
      return { ...before, understood: event.value };
    case "plan":
      return { ...before, steps: event.value.subtasks.reduce((steps, task) => changed(steps, { ...task, state: StepState.WAITING, attempt: 0, detail: "" } as unknown as Step, false), before.steps) };
    case "step":
      return { ...before, steps: changed(before.steps, event.value, true) };
    case "progress":
      return hasEnded(before.state) ? before : { ...before, progress: event.value };
    case "finding":
      return { ...before, findings: [...before.findings.filter((one) => one.findingId !== event.value.findingId), event.value] };
    case "hypothesis":
      return { ...before, hypotheses: seen(before.hypotheses, event.value) };
    case "critique":
      return { ...before, critiques: [...before.critiques, event.value] };
    case "causal":
      return {
        ...before,
        progress: before.progress && { ...before.progress, percent: Math.max(before.progress.percent, Math.round(event.value.progressPercentage)) },
        phases: before.phases.at(-1)?.status === event.value.status ? before.phases : [...before.phases, { status: event.value.status, at: timestamp }],
      };
    case "clarification":
      return { ...before, clarification: event.value };
    case "failure":
      return { ...before, failure: event.value };
    default:
      return before;
  }
}

function changed(steps: readonly Step[], step: Step, over: boolean): readonly Step[] {
  const found = steps.some((one) => one.taskId === step.taskId);
  if (!found) return [...steps, step];
  return over ? steps.map((one) => (one.taskId === step.taskId ? newer(one, step) : one)) : steps;
}

/** Events that are replayed from the start do not undo a newer state. */
function newer(before: Step, step: Step): Step {
  const over = before.state === StepState.DONE || before.state === StepState.FAILED || before.state === StepState.SKIPPED;
  return over && step.state !== before.state ? before : step;
}

function seen(all: readonly Seen[], now: Hypothesis): readonly Seen[] {
  const found = all.find((one) => one.now.hypothesisId === now.hypothesisId);
  if (!found) return [...all, { now, states: [now.status] }];
  const states = found.states.at(-1) === now.status ? found.states : [...found.states, now.status];
  return all.map((one) => (one === found ? { now, states } : one));
}
