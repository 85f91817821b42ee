// A thread about this workspace's data: its turns, what was taken back of them, and the box in which it goes on.
import { type Signal, signal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { converse, isOpen, readTurns, standing, type Turn, turnOf, turnOfJob } from "../mesh/conversing";
import { type Trouble, troubleOf } from "../mesh/errors";
import { draftAt, moveDraft } from "../mesh/kept";
import { needWorkspace } from "../mesh/workspace";
import { About } from "./about";
import { QuestionBox } from "./question_box";
import { Empty, InTrouble, Waiting } from "./states";
import { TakenBack } from "./taken_back";
import { TurnShown } from "./turn_shown";

interface Props {
  /** Empty for one that begins here. */
  readonly conversationId: string;
  readonly question: string;
  readonly source: string;
  /** An answer that it goes on from; empty for none. */
  readonly continuesJobId: string;
  readonly began: (conversationId: string) => void;
}

export function Thread({ conversationId, question, source: named, continuesJobId, began }: Props) {
  const { route } = useLocation();
  const conversation = useRef(conversationId);
  const [turns, setTurns] = useState<readonly Signal<Turn>[]>([]);
  const [loading, setLoading] = useState(conversationId !== "" || continuesJobId !== "");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [source, setSource] = useState(named);
  const stop = useRef(new AbortController());
  const end = useRef<HTMLDivElement>(null);
  const page = () => (conversation.current ? `/ask/${conversation.current}` : "/ask");
  const stands = turns.filter((one) => !one.value.takenBack);
  const last = stands.at(-1)?.value;
  const busy = last !== undefined && isOpen(last);
  const said = stands.filter(wasSaid);

  function begin(id: string): void {
    if (conversation.current) return;
    const before = page();
    conversation.current = id;
    moveDraft(before, page());
    began(id);
  }

  async function follow(turn: Signal<Turn>, after: bigint): Promise<void> {
    try {
      const known = conversation.current !== "" || continuesJobId !== "";
      await converse(turn, {
        sessionId: known ? "" : (await needWorkspace()).sessionId, conversationId: conversation.current, source,
        continuesJobId: conversation.current ? "" : continuesJobId, afterMessageId: after, began: begin, stop: stop.current.signal,
      });
    } catch (thrown) {
      turn.value = { ...turn.value, trouble: troubleOf(thrown) };
    }
    const draft = draftAt(page());
    if (turn.value.messageId === 0n && !draft.value) draft.value = turn.value.said; // it was not said: nothing is lost
    if (turn.value.trouble?.reason === "CONVERSATION_CHANGED") setTrouble(turn.value.trouble);
    setTurns((before) => before.filter((one) => one.value.trouble?.reason !== "CONVERSATION_CHANGED"));
  }

  async function say(said: string, before: readonly Signal<Turn>[] = turns): Promise<void> {
    if (!said.trim()) return;
    const turn = signal(turnOf(said.trim()));
    const kept = before.filter(wasSaid);
    setTurns([...kept, turn]);
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "end", behavior: "smooth" }));
    await follow(turn, lastOf(kept));
    if (kept.some((one) => one.value.messageId === 0n) && conversation.current) await read(); // the answer it went on from is a message by now
  }

  async function read(): Promise<void> {
    setTrouble(null);
    try {
      const found = await readTurns(conversation.current);
      setTurns(found);
      const open = found.at(-1);
      if (open && isOpen(open.value)) await follow(open, 0n); // its answer was not seen yet
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setLoading(false);
  }

  async function goOnFrom(): Promise<void> {
    try {
      const { job } = await jobs.getJob({ jobId: continuesJobId });
      const first = [signal(turnOfJob(job!))];
      setTurns(first);
      setLoading(false);
      await say(question, first);
    } catch (thrown) {
      setLoading(false);
      setTrouble(troubleOf(thrown));
    }
  }

  async function move(turn: Signal<Turn>, back: boolean): Promise<void> {
    setTrouble(null);
    try {
      const moved = await standing(conversation.current, turn.value.messageId, lastOf(turns), back);
      for (const one of turns) if (moved.includes(one.value.messageId)) one.value = { ...one.value, takenBack: !back };
      setTurns([...turns]);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
  }

  useEffect(() => {
    if (conversation.current) void read();
    else if (continuesJobId) void goOnFrom();
    else void say(question);
    return () => stop.current.abort();
  }, []);

  const takeBack = (turn: Signal<Turn>) => (busy || turn.value.messageId === 0n ? null : () => void move(turn, false));
  return (
    <>
      <header>
        <div><h1>Ask</h1><p class="muted">Every number in an answer links to the cell it comes from.</p></div>
        <div class="row">
          {turns.length === 0 && !loading && <About source={source} choose={setSource} />}
          <button type="button" class="button" onClick={() => route("/")}>New question</button>
        </div>
      </header>
      {loading && <Waiting />}
      <div class="thread">
        {turns.map((turn) => turn.value.takenBack
          ? <TakenBack key={turn.value.requestId} turn={turn} bringBack={busy ? null : () => void move(turn, true)} />
          : <TurnShown key={turn.value.requestId} turn={turn} say={turn === said.at(-1) && !busy ? (words) => void say(words) : null}
              takeBack={takeBack(turn)} after={said.length - 1 - said.indexOf(turn)} />)}
        {!loading && turns.length === 0 && !trouble && (
          <Empty title="Ask about your data"><p>For example: revenue by month. Then: only Germany. Why?</p></Empty>
        )}
        <InTrouble trouble={trouble} words="Reload the conversation" {...(conversation.current ? { again: () => void read() } : {})} />
        <div ref={end} />
      </div>
      <div class="box not-printed">
        <QuestionBox label="Question" page={page()} busy={busy || loading} say={(words) => void say(words)}
          placeholder={stands.length ? "Follow up: by region? only 1998? why?" : "What do you want to know?"} />
      </div>
    </>
  );
}

/** Whether a turn is part of the conversation: one that was refused before it was stored is not. */
function wasSaid({ value }: Signal<Turn>): boolean {
  return value.messageId !== 0n || value.job !== null;
}

/** The last message that stands. */
function lastOf(turns: readonly Signal<Turn>[]): bigint {
  return turns.filter((one) => !one.value.takenBack).at(-1)?.value.messageId ?? 0n;
}
