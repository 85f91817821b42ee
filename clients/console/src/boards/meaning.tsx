// That a question is computed in another way than before: both statements, line by line.
import type { MeaningChange } from "@gen/assay/gateway/v1/board_service_pb";

import { moment } from "../words/numbers";
import { differences } from "./differences";

const SAID = { same: "", gone: "before: ", new: "now: " } as const;
const MARK = { same: " ", gone: "−", new: "+" } as const;

export function Meaning({ change, accept }: { change: MeaningChange; accept: (() => void) | null }) {
  const { before, after } = change;
  if (!before || !after) return null;
  const parts = differences(before.statement, after.statement);
  return (
    <details class="note warn meaning">
      <summary><strong>Meaning changed</strong> {moment(after.endedAt)}</summary>
      <div class="stack">
        {before.understood !== after.understood && (
          <dl class="stack tight">
            <dt class="small">understood before</dt><dd class="breaks">{before.understood || "—"}</dd>
            <dt class="small">understood now</dt><dd class="breaks">{after.understood || "—"}</dd>
          </dl>
        )}
        {before.statement === after.statement ? <p class="small">The statement is the same.</p> : (
          <pre class="code changed" tabIndex={0} aria-label="The statement before and now, line by line">
            {parts.map((part) => (
              <span class={part.kind}><span aria-hidden="true">{MARK[part.kind]} </span>{SAID[part.kind] && <span class="out-of-sight">{SAID[part.kind]}</span>}{part.text}{"\n"}</span>
            ))}
          </pre>
        )}
        <p class="row">
          <a href={`/proof/${before.jobId}`}>Previous answer</a><a href={`/proof/${after.jobId}`}>Current answer</a>
          {accept && <button type="button" class="button little" onClick={accept}>Accept the new meaning</button>}
        </p>
      </div>
    </details>
  );
}
