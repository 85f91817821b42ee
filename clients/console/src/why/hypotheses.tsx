// Each hypothesis with the states that it went through, while they change.
import type { Finding } from "@gen/assay/common/v1/findings_pb";
import { HypothesisStatus } from "@gen/assay/common/v1/findings_pb";

import type { Seen } from "../mesh/watching";

const STATES: Record<HypothesisStatus, readonly [string, string]> = {
  [HypothesisStatus.UNSPECIFIED]: ["not tested", ""],
  [HypothesisStatus.PENDING]: ["open", ""],
  [HypothesisStatus.INVESTIGATING]: ["being tested", "accent"],
  [HypothesisStatus.CONFIRMED]: ["confirmed", "good"],
  [HypothesisStatus.RULED_OUT]: ["ruled out", ""],
};
const ORDER = [HypothesisStatus.INVESTIGATING, HypothesisStatus.CONFIRMED, HypothesisStatus.PENDING, HypothesisStatus.UNSPECIFIED, HypothesisStatus.RULED_OUT];

export function Hypotheses({ hypotheses, findings }: { hypotheses: readonly Seen[]; findings: readonly Finding[] }) {
  if (hypotheses.length === 0) return null;
  const sorted = [...hypotheses].sort((a, b) => ORDER.indexOf(a.now.status) - ORDER.indexOf(b.now.status) || a.now.priority - b.now.priority);
  return (
    <section class="card" aria-labelledby="hypotheses">
      <h2 id="hypotheses">Hypotheses</h2>
      <ul class="hypotheses" aria-live="polite">
        {sorted.map(({ now, states }) => {
          const [word, tone] = STATES[now.status];
          const found = findings.filter((one) => one.hypothesisAffected === now.hypothesisId);
          return (
            <li key={now.hypothesisId} class={now.status === HypothesisStatus.RULED_OUT ? "out" : undefined}>
              <span class={`chip ${tone}`}>{word}</span>
              <div class="stack tight">
                <h3 class="breaks">{now.title}</h3>
                {found.map((one) => <p class="small breaks">{one.summary}</p>)}
                {found.length === 0 && <p class="muted small breaks">{now.causalStory}</p>}
                <details class="small">
                  <summary class="muted">{states.map((one) => STATES[one][0]).join(" → ")}</summary>
                  <p class="breaks">{now.causalStory}</p>
                  {now.expectedPattern && <p class="muted breaks">Expected pattern: {now.expectedPattern}</p>}
                  {now.dimensions.length > 0 && <p class="muted breaks">Split by {now.dimensions.join(", ")}</p>}
                </details>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
