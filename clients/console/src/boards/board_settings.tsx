// A board's title, schedule, and where its alerts go beside the page; and the end of it.
import type { Board } from "@gen/assay/gateway/v1/board_service_pb";
import { useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { InTrouble } from "../parts/states";
import { ScheduleFields, scheduleFrom } from "./schedule_fields";

interface Props {
  readonly board: Board;
  readonly close: () => void;
  readonly changed: () => void;
  readonly gone: () => void;
}

export function BoardSettings({ board, close, changed, gone }: Props) {
  const [title, setTitle] = useState(board.title);
  const [schedule, setSchedule] = useState(scheduleFrom(board.schedule));
  const [webhook, setWebhook] = useState(board.alertTargets?.webhook ?? "");
  const [emails, setEmails] = useState((board.alertTargets?.emails ?? []).join(", "));
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);

  async function doing(work: () => Promise<unknown>, after: () => void): Promise<void> {
    setBusy(true);
    setTrouble(null);
    try {
      await work();
      close();
      after();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  const alertTargets = { webhook, emails: emails.split(/[\s,;]+/).filter(Boolean) };
  const save = () => doing(() => boards.updateBoard({ boardId: board.boardId, title, schedule, alertTargets, version: board.version }), changed);
  return (
    <form class="stack" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <h2>Edit board</h2>
      <label class="field"><span>Title</span>
        <input type="text" required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <ScheduleFields value={schedule} change={setSchedule} />
      <fieldset class="stack">
        <legend class="legend">Also send alerts to</legend>
        <label class="field"><span>Webhook</span>
          <input type="url" value={webhook} placeholder="none" onInput={(event) => setWebhook(event.currentTarget.value)} />
        </label>
        <label class="field"><span>E-mail addresses</span>
          <input type="text" value={emails} placeholder="none" onInput={(event) => setEmails(event.currentTarget.value)} />
        </label>
        <p class="muted small">An operator decides which addresses are allowed.</p>
      </fieldset>
      <InTrouble trouble={trouble} />
      <p class="row apart">
        {sure ? <button type="button" class="button danger" disabled={busy} onClick={() => void doing(() => boards.deleteBoard({ boardId: board.boardId }), gone)}>Delete board and history</button>
          : <button type="button" class="button danger" onClick={() => setSure(true)}>Delete…</button>}
        <span class="row"><button type="button" class="button" onClick={close}>Cancel</button><button class="button first" disabled={busy}>Save</button></span>
      </p>
    </form>
  );
}
