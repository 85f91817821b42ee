// All boards of this tenant, and a new one.
import { useLocation } from "preact-iso";
import { useRef, useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { newId } from "../mesh/ids";
import { useLoaded } from "../mesh/loading";
import { who } from "../mesh/who";
import { Icon } from "../parts/icons";
import { Empty, InTrouble, Waiting } from "../parts/states";
import { count } from "../words/numbers";
import { ago, scheduleWords } from "./words";

export function BoardList() {
  const { route } = useLocation();
  const [title, setTitle] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const id = useRef(newId());
  const known = useLoaded(async (signal) => {
    const found = [];
    for (let pageToken = ""; ; ) {
      const page = await boards.listBoards({ pageToken }, { signal });
      found.push(...page.boards);
      if (!(pageToken = page.nextPageToken)) return found;
    }
  }, []);

  async function make(event: Event): Promise<void> {
    event.preventDefault();
    setTrouble(null);
    try {
      const { board } = await boards.createBoard({ requestId: id.current, title });
      route(`/boards/${board!.boardId}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
      id.current = newId();
    }
  }

  return (
    <>
      <header><div><h1>Boards</h1><p class="muted">Pinned answers that refresh on a schedule, each with its proof and the date of its data.</p></div></header>
      {who.value?.role !== "reader" && (
        <form class="row" onSubmit={(event) => void make(event)}>
          <label class="out-of-sight" for="board-title">Title of the new board</label>
          <input id="board-title" type="text" maxLength={200} style={{ flex: 1, minWidth: "200px" }} value={title} placeholder="Sales each morning" onInput={(event) => setTitle(event.currentTarget.value)} />
          <button class="button first" disabled={!title.trim()}>New board</button>
        </form>
      )}
      <InTrouble trouble={trouble} />
      {known.loading && !known.value && <Waiting />}
      <InTrouble trouble={known.trouble} again={known.again} />
      {known.value?.length === 0 && <Empty title="No boards yet"><p>Create one here, or pin an answer with the button below it.</p></Empty>}
      <div class="cards">
        {known.value?.map((board) => (
          <a class="card board" href={`/boards/${board.boardId}`} key={board.boardId}>
            <h2 class="breaks">{board.title}</h2>
            <p class="row">
              <span class="chip">{count(board.pinCount, "answer")}</span>
              {board.alertingCount > 0 && <span class="chip bad"><Icon name="alert" />{board.alertingCount === 1 ? "1 needs attention" : `${board.alertingCount} need attention`}</span>}
            </p>
            <p class="muted small">{scheduleWords(board.schedule)}{board.nextRunAt && ` · next ${ago(board.nextRunAt)}`}</p>
          </a>
        ))}
      </div>
    </>
  );
}
