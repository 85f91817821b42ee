// How an answer was computed: its statements, and one of one's own in their place.
import { useLocation } from "preact-iso";
import { useRef, useState } from "preact/hooks";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { type Trouble, troubleOf } from "../mesh/errors";
import { submitStatement } from "../mesh/statements";
import { InTrouble } from "./states";

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

function OwnStatement({ job, statement }: { job: Job; statement: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { route } = useLocation();
  const [text, setText] = useState(statement);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      const jobId = await submitStatement(job, text);
      dialog.current?.close();
      route(`/answer/${jobId}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
  }

  if (job.work.case !== "analysis") return null;
  return (
    <>
      <p><button type="button" class="button little" onClick={() => dialog.current?.showModal()}>Edit and run</button></p>
      <dialog ref={dialog} class="wide" aria-label="Edit the SQL statement">
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <label class="field"><span>SQL statement: it runs as written, is checked, and gets its own proof</span>
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
