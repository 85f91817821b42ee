// How a board was changed, how it was set before, and having it so again.
import type { Board, Pin } from "@gen/assay/gateway/v1/board_service_pb";
import { useRef, useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { InTrouble, Waiting } from "../parts/states";
import { moment } from "../words/numbers";
import { rangeWords, scheduleWords } from "./words";

interface Props {
  readonly board: Board;
  /** Null for whoever may only read. */
  readonly restore: ((version: number) => void) | null;
}

export function Versions({ board, restore }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [seen, setSeen] = useState(0);
  const first = { version: 1, what: "created", changedBy: board.createdBy, changedAt: board.createdAt, kept: board.changes.at(-1)?.version === 2 && board.changes.at(-1)!.kept };
  const look = (version: number) => { setSeen(version); dialog.current?.showModal(); };
  return (
    <details class="card not-printed">
      <summary><h2 class="inline">Versions</h2> <span class="muted">{board.version}</span></summary>
      <ul class="listing">
        {[...board.changes, first].map((one) => (
          <li key={one.version}>
            <span class="breaks"><span class="number">{one.version}</span> {one.what}</span>
            <span class="row">
              <span class="muted small breaks">{one.changedBy}, {moment(one.changedAt)}</span>
              {one.version === board.version ? <span class="chip">now</span> : one.kept && <button type="button" class="button little" aria-label={`View version ${one.version}`} onClick={() => look(one.version)}>View</button>}
            </span>
          </li>
        ))}
      </ul>
      <dialog ref={dialog} aria-label={`Version ${seen}`} onClose={() => setSeen(0)}>
        {seen > 0 && <Version board={board} version={seen} close={() => dialog.current?.close()} restore={restore} />}
      </dialog>
    </details>
  );
}

function Version({ board, version, close, restore }: Props & { version: number; close: () => void }) {
  const found = useLoaded(async (signal) => (await boards.getBoard({ boardId: board.boardId, version }, { signal })).board!, [board.boardId, version]);
  const then = found.value;
  return (
    <div class="stack">
      <h2>Version {version}</h2>
      {found.loading && !then && <Waiting />}
      <InTrouble trouble={found.trouble} again={found.again} />
      {then && <Set then={then} now={board} />}
      <p class="row apart">
        <button type="button" class="button" onClick={close}>Close</button>
        {then && restore && <button type="button" class="button first" onClick={() => { close(); restore(version); }}>Restore this version</button>}
      </p>
    </div>
  );
}

function Set({ then, now }: { then: Board; now: Board }) {
  const here = new Map(now.pins.map((pin) => [pin.pinId, pin]));
  const off = now.pins.filter((pin) => !then.pins.some((one) => one.pinId === pin.pinId));
  return (
    <>
      <dl class="was">
        <dt>Title</dt><dd class="breaks">{then.title}</dd>
        <dt>Schedule</dt><dd>{scheduleWords(then.schedule)}</dd>
        {then.alertTargets && <><dt>Alerts to</dt><dd class="breaks">{alertWords(then)}</dd></>}
      </dl>
      {then.pins.length === 0 ? <p class="muted">No pinned answers.</p> : (
        <ul class="listing" aria-label="Pinned in this version">
          {then.pins.map((pin) => (
            <li key={pin.pinId}>
              <span class="breaks">{pin.title} {pin.range && <span class="muted small">{rangeWords(pin.range.low, pin.range.high)}</span>}</span>
              <StandsNow then={pin} now={here.get(pin.pinId)} />
            </li>
          ))}
        </ul>
      )}
      {off.length > 0 && <p class="muted small breaks">Not on the board then: {off.map((pin) => pin.title).join(", ")}.</p>}
    </>
  );
}

function StandsNow({ then, now }: { then: Pin; now: Pin | undefined }) {
  if (then.gone) return <span class="chip warn" title="It was unpinned more than 30 days ago.">cannot be restored</span>;
  if (!now) return <span class="chip accent">unpinned since</span>;
  const same = now.title === then.title && now.range?.low === then.range?.low && now.range?.high === then.range?.high && now.range?.column === then.range?.column && now.range?.claim === then.range?.claim;
  return same ? <span class="chip">unchanged</span> : <span class="chip accent">changed since</span>;
}

function alertWords(board: Board): string {
  const said = [board.alertTargets?.webhook, ...(board.alertTargets?.emails ?? [])].filter(Boolean);
  return said.join(", ") || "none";
}
