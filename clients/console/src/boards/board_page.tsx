// A board: its pins in a grid, refreshed now or on a schedule, to be printed or saved as one file.
import type { Board } from "@gen/assay/gateway/v1/board_service_pb";
import { useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { useLoaded } from "../mesh/loading";
import { who } from "../mesh/who";
import { Icon } from "../parts/icons";
import { Empty, InTrouble, Waiting } from "../parts/states";
import { moment } from "../words/numbers";
import { BoardSettings } from "./board_settings";
import { PinCard } from "./pin_card";
import { printed } from "./printing";
import { Alerts } from "./told";
import { Versions } from "./versions";
import { ago, scheduleWords } from "./words";

const BUSY_MILLISECONDS = 1500;
const IDLE_MILLISECONDS = 20_000;

export function BoardPage({ boardId }: { boardId: string }) {
  const found = useLoaded(async (signal) => (await boards.getBoard({ boardId }, { signal })).board!, [boardId]);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const board = found.value?.boardId === boardId ? found.value : undefined;
  const going = board?.pins.some((pin) => pin.underWay) ?? false;
  useEffect(() => {
    if (!board) return;
    const timer = setInterval(() => document.hidden || found.again(), going ? BUSY_MILLISECONDS : IDLE_MILLISECONDS);
    return () => clearInterval(timer);
  }, [boardId, board !== undefined, going]);

  async function doing(work: () => Promise<unknown>): Promise<void> {
    setTrouble(null);
    try {
      await work();
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    found.again();
  }

  if (!board) {
    return (
      <>
        <header><div><p class="small"><a href="/boards">All boards</a></p><h1>Board</h1></div></header>
        {found.trouble ? <InTrouble trouble={found.trouble} again={found.again} /> : <Waiting />}
      </>
    );
  }
  const mayChange = who.value?.role !== "reader";
  return (
    <>
      <Head board={board} going={going} mayChange={mayChange} changed={found.again} doing={doing} />
      <InTrouble trouble={trouble ?? found.trouble} />
      {board.pins.length === 0 ? (
        <Empty title="No pinned answers yet"><p>Ask a question, then pin the answer with the button below it.</p><p><a class="button first" href="/ask">Ask</a></p></Empty>
      ) : (
        <div class="pins">
          {board.pins.map((pin) => (
            <PinCard key={pin.pinId} pin={pin} next={board.nextRunAt} changed={mayChange ? found.again : null}
              accept={() => void doing(() => boards.updatePin({ pinId: pin.pinId, acceptMeaning: true }))}
              takeOver={() => void doing(() => boards.updatePin({ pinId: pin.pinId, takeOver: true }))} />
          ))}
        </div>
      )}
      <Alerts board={board} />
      <Versions board={board} restore={mayChange ? (version) => void doing(() => boards.restoreBoard({ boardId, version, fromVersion: board.version })) : null} />
    </>
  );
}

interface HeadProps {
  readonly board: Board;
  readonly going: boolean;
  readonly mayChange: boolean;
  readonly changed: () => void;
  readonly doing: (work: () => Promise<unknown>) => Promise<void>;
}

function Head({ board, going, mayChange, changed, doing }: HeadProps) {
  const { route } = useLocation();
  const settings = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const [saving, setSaving] = useState(false);
  const [copied, setCopied] = useState(false);

  async function save(): Promise<void> {
    setSaving(true);
    await doing(async () => (await import("./saving")).saveBoard(board));
    setSaving(false);
  }

  return (
    <header class="board-head">
      <div>
        <p class="small not-printed"><a href="/boards">All boards</a></p>
        <h1 class="breaks">{board.title}</h1>
        <p class="muted">
          {scheduleWords(board.schedule)}
          {board.nextRunAt && <span class="not-printed"> · next <span title={moment(board.nextRunAt)}>{ago(board.nextRunAt)}</span></span>}
          {board.alertingCount > 0 && <> · <strong class="bad-text">{board.alertingCount === 1 ? "1 answer needs attention" : `${board.alertingCount} answers need attention`}</strong></>}
        </p>
        <p class="only-printed small">Printed {moment({ seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 } as never)} · version {board.version} · {location.origin}/boards/{board.boardId}</p>
      </div>
      <div class="row not-printed">
        {mayChange && board.pins.length > 0 && (
          <button type="button" class="button first" disabled={going} onClick={() => void doing(() => boards.refreshBoard({ boardId: board.boardId }))}>
            <Icon name={going ? "wait" : "again"} turns={going} />{going ? "Refreshing…" : "Refresh now"}
          </button>
        )}
        {mayChange && <button type="button" class="button" onClick={() => { setOpen(true); settings.current?.showModal(); }}>Edit</button>}
        <button type="button" class="button" onClick={() => void printed()}>Print or PDF</button>
        <button type="button" class="button" disabled={saving} onClick={() => void save()}>{saving ? "Saving…" : "Save as HTML"}</button>
        <button type="button" class="button" onClick={() => void navigator.clipboard.writeText(`${location.origin}/boards/${board.boardId}`).then(() => setCopied(true))}>{copied ? "Copied" : "Copy link"}</button>
        <span class="out-of-sight" role="status">{copied ? "Link copied. Everyone in this tenant can open it." : ""}</span>
      </div>
      <dialog ref={settings} aria-label="Edit board" onClose={() => setOpen(false)}>
        {open && <BoardSettings board={board} close={() => settings.current?.close()} changed={changed} gone={() => route("/boards")} />}
      </dialog>
    </header>
  );
}
