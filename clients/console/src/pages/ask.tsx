// Ask: a thread of questions and answers about this workspace's data.
import { type Signal, signal } from "@preact/signals";
import { useLocation, useRoute } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";

import { converse, readTurns, type Turn, turnOf } from "../mesh/conversing";
import { type Trouble, troubleOf } from "../mesh/errors";
import { needWorkspace } from "../mesh/workspace";
import { About } from "../parts/about";
import { QuestionBox } from "../parts/question_box";
import { Empty, InTrouble, Waiting } from "../parts/states";
import { TurnShown } from "../parts/turn_shown";

export function Ask() {
  const { params, query } = useRoute();
  const { route } = useLocation();
  const conversation = useRef(params["conversation"] ?? "");
  const asked = useRef(false);
  const [turns, setTurns] = useState<Signal<Turn>[]>([]);
  const [loading, setLoading] = useState(conversation.current !== "");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [source, setSource] = useState(query["source"] ?? "");
  const stop = useRef(new AbortController());
  const end = useRef<HTMLDivElement>(null);
  const last = turns.at(-1)?.value;
  const busy = last !== undefined && last.response === null && last.trouble === null;

  async function say(said: string): Promise<void> {
    const text = said.trim();
    if (!text) return;
    const turn = signal(turnOf(text));
    setTurns((before) => [...before, turn]);
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "end", behavior: "smooth" }));
    try {
      const session = conversation.current ? "" : (await needWorkspace()).sessionId;
      await converse(turn, session, conversation.current, source, (id) => {
        conversation.current = id;
        history.replaceState(history.state, "", `/ask/${id}`);
      }, stop.current.signal);
    } catch (thrown) {
      turn.value = { ...turn.value, trouble: troubleOf(thrown) };
    }
    setTurns((before) => [...before]);
  }

  useEffect(() => {
    const question = query["q"];
    if (conversation.current) {
      readTurns(conversation.current)
        .then(setTurns, (thrown) => setTrouble(troubleOf(thrown)))
        .finally(() => setLoading(false));
    } else if (question && !asked.current) {
      asked.current = true;
      void say(question);
    }
    return () => stop.current.abort();
  }, []);

  return (
    <>
      <header>
        <div><h1>Ask</h1><p class="muted">Every number of an answer is a door to where it is from.</p></div>
        <div class="row">
          {turns.length === 0 && <About source={source} choose={setSource} />}
          <button type="button" class="button" onClick={() => route("/")}>New question</button>
        </div>
      </header>
      {loading && <Waiting />}
      <InTrouble trouble={trouble} />
      <div class="thread">
        {turns.map((turn, at) => <TurnShown key={turn.value.requestId} turn={turn} say={at === turns.length - 1 && !busy ? (text) => void say(text) : null} />)}
        {!loading && turns.length === 0 && !trouble && (
          <Empty title="Ask about your data"><p>For example: revenue by month. Then: only Germany. Why?</p></Empty>
        )}
        <div ref={end} />
      </div>
      <div class="box not-printed">
        <QuestionBox label="Question" busy={busy} say={(text) => void say(text)}
          placeholder={turns.length ? "Go on: by region? only 1998? why?" : "What do you want to know?"} />
      </div>
    </>
  );
}
