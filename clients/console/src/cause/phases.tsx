// The phases of a causal study: done, running, to come.
import { CausalStatus } from "@gen/assay/common/v1/causal_pb";

import type { Watched } from "../mesh/watching";
import { Icon } from "../parts/icons";

const PHASES: readonly (readonly [CausalStatus, string])[] = [
  [CausalStatus.FETCHING_DATA, "Reading the data"],
  [CausalStatus.PROFILING, "Profiling and repairs"],
  [CausalStatus.EXPLORATORY_ANALYSIS, "Exploring"],
  [CausalStatus.DISCOVERING_CAUSAL, "Causal discovery"],
  [CausalStatus.ESTIMATING_EFFECTS, "Estimating"],
  [CausalStatus.SENSITIVITY_ANALYSIS, "Sensitivity analysis"],
  [CausalStatus.CRITIQUE_REVIEW, "Debate"],
  [CausalStatus.GENERATING_NOTEBOOK, "Notebook"],
];

/** Where it is drawn back to: what is done again is not done. */
const DRAWN: Partial<Record<CausalStatus, CausalStatus>> = { [CausalStatus.ITERATING]: CausalStatus.ESTIMATING_EFFECTS };

export function Phases({ watched, running }: { watched: Watched; running: boolean }) {
  const told = watched.phases.at(-1)?.status ?? watched.job?.causalState?.status ?? CausalStatus.PENDING;
  const passed = watched.phases.map(({ status }) => DRAWN[status] ?? status).filter((status) => PHASES.some(([one]) => one === status));
  const at = PHASES.findIndex(([status]) => status === (passed.at(-1) ?? told)); // stopping is no phase of its own
  const done = told === CausalStatus.COMPLETED;
  const rounds = watched.phases.filter((one) => one.status === CausalStatus.ITERATING).length;
  return (
    <section aria-label="Phases">
      <ol class="phases">
        {PHASES.map(([, name], place) => {
          const state = done || place < at ? "past" : place === at && running ? "now" : "";
          return (
            <li class={state} aria-current={state === "now" ? "step" : undefined}>
              {state === "past" ? <Icon name="done" /> : <Icon name={state === "now" ? "wait" : "later"} turns={state === "now"} />}<span>{name}</span>
              {state === "past" && <span class="out-of-sight">done</span>}
            </li>
          );
        })}
      </ol>
      {rounds > 0 && <p class="muted small">{rounds === 1 ? "One round" : `${rounds} rounds`} repeated, because something was in doubt.</p>}
    </section>
  );
}
