// How an answer was computed: its statements, what else was proposed, and a statement of one's own in their place.
import { useLocation } from "preact-iso";
import { useRef, useState } from "preact/hooks";
import { Agreement } from "@gen/assay/common/v1/proposals_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { InTrouble } from "./states";

const AGREES: Partial<Record<Agreement, string>> = {
  [Agreement.SAME]: "gives the same",
  [Agreement.SUBSET]: "gives a part of it",
  [Agreement.SCALED]: "gives the same in another unit",
  [Agreement.DIFFERS]: "gives something else",
  [Agreement.FAILS]: "does not run",
  [Agreement.NOT_COMPARED]: "was not compared",
};

export function Statements({ job }: { job: Job }) {
  const run = job.steps.filter((step) => step.statement?.readable);
  if (run.length === 0) return null;
  return (
    <details class="not-printed">
      <summary>How it was computed</summary>
      <div class="stack" style={{ paddingTop: "10px" }}>
        {run.map((step) => (
          <div class="stack tight">
            <p class="muted small breaks">{step.description}</p>
            <pre class="code">{step.statement!.readable}</pre>
            <OwnStatement job={job} statement={step.statement!.readable} />
          </div>
        ))}
      </div>
    </details>
  );
}

/** What else the question could have meant, each with what it gives. */
export function OtherReadings({ job, say }: { job: Job; say: ((words: string) => void) | null }) {
  const others = (job.plan?.proposal?.others ?? []).filter((one) => one.interpretation);
  if (others.length === 0) return null;
  return (
    <details class="not-printed">
      <summary>{others.length === 1 ? "Another reading" : `${others.length} other readings`}</summary>
      <ul class="listing">
        {others.map((one) => (
          <li>
            <span class="breaks">{one.interpretation} <span class="muted small">{AGREES[one.compared]}{one.told && ` · ${one.told}`}</span></span>
            {say && <button type="button" class="button little" onClick={() => say(one.interpretation)}>Ask it so</button>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function OwnStatement({ job, statement }: { job: Job; statement: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { route } = useLocation();
  const [text, setText] = useState(statement);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const asked = job.work.case === "analysis" ? job.work.value : null;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const requestId = newId();
    try {
      const { dataSources, policy, constraints } = asked!;
      const analysis = { statement: text, dataSources, ...(policy ? { policy } : {}), ...(constraints ? { constraints } : {}) };
      await jobs.createJob({ requestId, sessionId: job.sessionId, work: { case: "analysis", value: analysis } });
      dialog.current?.close();
      route(`/answer/${requestId}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
  }

  if (!asked) return null;
  return (
    <>
      <p><button type="button" class="button little" onClick={() => dialog.current?.showModal()}>Change it and run</button></p>
      <dialog ref={dialog} class="wide" aria-label="A statement of your own">
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <label class="field"><span>Your statement: it runs as it is, is checked, and has a proof of its own</span>
            <textarea rows={14} class="mono" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <InTrouble trouble={trouble} />
          <p class="row apart">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>Close</button>
            <button class="button first" disabled={!text.trim()}>Run</button>
          </p>
        </form>
      </dialog>
    </>
  );
}
