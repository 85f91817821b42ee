// A job's steps while they change: waiting, running with a clock, done, repaired, failed, skipped.
import { type Step, StepState } from "@gen/assay/common/v1/job_pb";

import { seconds } from "../words/numbers";
import { Icon } from "./icons";

const WORDS: Record<StepState, string> = {
  [StepState.UNSPECIFIED]: "waiting",
  [StepState.WAITING]: "waiting",
  [StepState.RUNNING]: "running",
  [StepState.DONE]: "done",
  [StepState.REPAIRING]: "retrying",
  [StepState.FAILED]: "failed",
  [StepState.SKIPPED]: "skipped",
};

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map((step) => (
        <li key={step.taskId} class={step.state === StepState.FAILED ? "failed" : undefined}>
          {step.state === StepState.DONE ? <Icon name="done" /> : <Icon name="wait" turns={step.state === StepState.RUNNING} />}
          <span class="breaks">{step.description || step.toolName}{step.attempt > 1 && ` (attempt ${step.attempt})`}
            {step.detail && <span class="muted"> · {step.detail}</span>}</span>
          <span class="muted number">{step.state === StepState.DONE ? seconds(step.elapsed) : WORDS[step.state]}</span>
        </li>
      ))}
    </ol>
  );
}
