// An answer onto a board: one that is there, or a new one.
import "../styles/boards.css";
import type { Job } from "@gen/assay/common/v1/job_pb";
import { useRef, useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { useLoaded } from "../mesh/loading";
import { who } from "../mesh/who";
import { Icon } from "../parts/icons";
import { InTrouble, Waiting } from "../parts/states";
import { numbersOf } from "./numbers_of";
import { NO_RANGE, RangeFields, rangeOf } from "./range_fields";

export function PinButton({ job }: { job: Job }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  if (who.value?.role === "reader" || job.work.case !== "analysis" || job.result.case !== "answer") return null;
  return (
    <>
      <button type="button" class="button little not-printed" onClick={() => { setOpen(true); dialog.current?.showModal(); }}><Icon name="pin" />Pin</button>
      <dialog ref={dialog} aria-label="Pin this answer" onClose={() => setOpen(false)}>
        {open && <PinForm job={job} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function PinForm({ job, close }: { job: Job; close: () => void }) {
  const asked = job.work.case === "analysis" ? job.work.value.intent : "";
  const known = useLoaded(async (signal) => (await boards.listBoards({}, { signal })).boards, []);
  const [board, setBoard] = useState("");
  const [name, setName] = useState("");
  const [title, setTitle] = useState((asked || job.understood).slice(0, 200));
  const [range, setRange] = useState(NO_RANGE);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const [pinned, setPinned] = useState("");
  const [caution, setCaution] = useState("");
  const ids = useRef({ board: newId(), pin: newId() });
  const chosen = board || (known.value?.[0]?.boardId ?? "new");

  async function pin(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      const made = chosen === "new" ? (await boards.createBoard({ requestId: ids.current.board, title: name })).board! : null;
      const boardId = made?.boardId ?? chosen;
      const { pin: kept } = await boards.pinAnswer({ requestId: ids.current.pin, boardId, jobId: job.jobId, title, range: rangeOf(range) });
      setCaution(kept?.caution ?? "");
      setPinned(boardId);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
      ids.current = { ...ids.current, pin: newId() };
    }
    setBusy(false);
  }

  if (pinned) {
    return (
      <div class="stack" role="status">
        <h2>Pinned</h2>
        <p>It refreshes whenever its board does.</p>
        {caution && <p class="note warn">{caution}</p>}
        <p class="row apart"><button type="button" class="button" onClick={close}>Close</button><a class="button first" href={`/boards/${pinned}`}>Open the board</a></p>
      </div>
    );
  }
  return (
    <form class="stack" onSubmit={(event) => void pin(event)}>
      <h2>Pin this answer</h2>
      {known.loading && <Waiting />}
      <InTrouble trouble={known.trouble} again={known.again} />
      <label class="field"><span>Board</span>
        <select value={chosen} onChange={(event) => setBoard(event.currentTarget.value)}>
          {known.value?.map((one) => <option value={one.boardId}>{one.title}</option>)}
          <option value="new">New board</option>
        </select>
      </label>
      {chosen === "new" && (
        <label class="field"><span>Board title</span>
          <input type="text" required maxLength={200} value={name} placeholder="Sales each morning" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
      )}
      <label class="field"><span>Answer title</span>
        <input type="text" required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <RangeFields numbers={numbersOf(job.result.value)} words={range} change={setRange} />
      <InTrouble trouble={trouble} />
      <p class="row apart"><button type="button" class="button" onClick={close}>Cancel</button><button class="button first" disabled={busy || known.loading}>Pin</button></p>
    </form>
  );
}
