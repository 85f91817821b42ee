// What was done, iteration by iteration: decision, reason, finding.
import { IterationDecision, type IterationLog } from "@gen/assay/common/v1/investigation_pb";
import type { Finding } from "@gen/assay/common/v1/findings_pb";

const DECISIONS: Record<IterationDecision, string> = {
  [IterationDecision.UNSPECIFIED]: "",
  [IterationDecision.ANALYZE]: "analysed",
  [IterationDecision.DRILL_DOWN]: "drilled down",
  [IterationDecision.PIVOT]: "changed approach",
  [IterationDecision.CONCLUDE]: "concluded",
};

export function Course({ iterations, findings }: { iterations: readonly IterationLog[]; findings: readonly Finding[] }) {
  const known = iterations.map((one) => ({ number: one.iteration, decision: DECISIONS[one.decision], reason: one.reason, found: one.compressedSummary }));
  const shown = known.length > 0 ? known : findings.map((one) => ({ number: one.iteration, decision: "analysed", reason: "", found: one.summary }));
  if (shown.length === 0) return null;
  return (
    <section class="card" aria-labelledby="course">
      <h2 id="course">Iterations</h2>
      <ol class="course" aria-live="polite">
        {shown.map((one) => (
          <li key={`${one.number}${one.found}`}>
            <span class="rank" aria-hidden="true">{one.number}</span>
            <div class="stack tight"><p class="breaks"><strong>{one.decision}</strong>{one.reason && `: ${one.reason}`}</p>
              {one.found !== one.reason && <p class="muted small breaks">{one.found}</p>}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}
