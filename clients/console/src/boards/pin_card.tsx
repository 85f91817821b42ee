// One pinned answer: its words and number, its chart, how sure and how new it is, and what there is to tell of it.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AlertKind, type Pin, type Run, RunState } from "@gen/assay/gateway/v1/board_service_pb";
import { useRef, useState } from "preact/hooks";

import { plotOf } from "../charts/asked";
import { useLoaded } from "../mesh/loading";
import { Chart } from "../parts/chart";
import { FrameTable } from "../parts/frame_table";
import { Icon } from "../parts/icons";
import { InTrouble, Waiting } from "../parts/states";
import { sureness } from "../words/confidence";
import { count, moment } from "../words/numbers";
import { History } from "./history";
import { type Answer, loadAnswer } from "./loading";
import { Meaning } from "./meaning";
import { PinSettings } from "./pin_settings";
import { Spark } from "./spark";
import { ago, ALERTS, dataWords, rangeWords } from "./words";

interface Props {
  readonly pin: Pin;
  readonly next: Timestamp | undefined;
  /** Null for readers. */
  readonly changed: (() => void) | null;
  readonly accept: () => void;
  readonly takeOver: () => void;
}

export function PinCard({ pin, next, changed, accept, takeOver }: Props) {
  const jobId = pin.answer?.jobId ?? "";
  const answer = useLoaded<Answer | null>(async () => (jobId ? loadAnswer(jobId) : null), [jobId]);
  const alerting = new Set(pin.alerting);
  const newest = pin.runs[0];
  return (
    <article class={`card pin ${alerting.size > 0 ? "alerting" : ""}`} aria-labelledby={`title-${pin.pinId}`}>
      <header class="stack tight">
        <h2 id={`title-${pin.pinId}`} class="breaks">{pin.title}</h2>
        <p class="row chips">
          {pin.answer && <Sure run={pin.answer} />}
          {[...alerting].map((kind) => <span class={`chip ${kind === AlertKind.MEANING_CHANGED ? "warn" : "bad"}`}><Icon name="alert" />{ALERTS[kind]}</span>)}
          {pin.underWay && <span class="chip accent" role="status"><Icon name="wait" turns />refreshing</span>}
        </p>
      </header>
      {pin.pause && (
        <div class="note bad">
          <p class="breaks"><strong>Paused {moment(pin.pause.since)}.</strong> {pin.pause.words}</p>
          <p class="row"><code>{pin.pause.reason}</code>{changed && <button type="button" class="button little not-printed" onClick={takeOver}>Take over</button>}</p>
        </div>
      )}
      {newest?.state === RunState.FAILED && (
        <div class="note bad"><p class="breaks"><strong>No new answer, <span class="not-printed">{ago(newest.endedAt)}</span><span class="only-printed">{moment(newest.endedAt)}</span>:</strong> {newest.failure}</p><p><code>{newest.failureReason}</code></p></div>
      )}
      {pin.answer ? <Shown pin={pin} run={pin.answer} answer={answer.value ?? null} /> : <p class="muted">No answer yet.</p>}
      {answer.loading && !answer.value && <Waiting />}
      {answer.trouble && <InTrouble trouble={answer.trouble} again={answer.again} />}
      {pin.caution && <p class="muted small">{pin.caution}</p>}
      {pin.meaningChange && <Meaning change={pin.meaningChange} accept={changed && accept} />}
      <Foot pin={pin} next={pin.pause ? undefined : next} answer={answer.value ?? null} changed={changed} />
    </article>
  );
}

function Sure({ run }: { run: Run }) {
  const sure = sureness(run.confidence);
  return <span class={`chip ${sure.tone}`} title={sure.means}>{sure.word}</span>;
}

function Shown({ pin, run, answer }: { pin: Pin; run: Run; answer: Answer | null }) {
  const plot = answer && plotOf(answer.job);
  const drawn = plot && answer.table && answer.table.numRows > 1;
  const tabled = !drawn && answer?.shown && (answer.shown.numRows > 1 || answer.shown.numCols > 1);
  const formats = answer?.job.result.value?.formats ?? {};
  const large = run.numberText && (pin.range || !(drawn || tabled));
  return (
    <>
      {large && <p class={`large number ${run.outOfRange ? "out" : ""}`}><a href={`/proof/${run.jobId}`} title="Where this number comes from">{run.numberText}</a>{run.unit && <span class="unit"> {run.unit}</span>}</p>}
      {pin.range && <p class="muted small">{rangeWords(pin.range.low, pin.range.high)}</p>}
      <p class="headline breaks">{run.headline}</p>
      {drawn && <Chart table={answer.table!} asked={plot} formats={formats} small />}
      {tabled && <FrameTable table={answer.shown!} formats={formats} name={pin.title} />}
      <Spark runs={pin.runs} range={pin.range} />
    </>
  );
}

function Foot({ pin, next, answer, changed }: { pin: Pin; next: Timestamp | undefined; answer: Answer | null; changed: (() => void) | null }) {
  const history = useRef<HTMLDialogElement>(null);
  const settings = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState<"history" | "settings" | null>(null);
  const run = pin.answer;
  return (
    <footer class="stack tight">
      <p class="muted small">
        {run && <>{dataWords(run)} · last run <time dateTime={String(run.dueAt && new Date(Number(run.dueAt.seconds) * 1000).toISOString())} title={moment(run.dueAt)}><span class="not-printed">{ago(run.dueAt)}</span><span class="only-printed">{moment(run.dueAt)}</span></time></>}
        {next && <span class="not-printed"> · next {ago(next)}</span>}
        <span> · for <span class="breaks">{pin.pinnedBy}</span></span>
      </p>
      <p class="row actions">
        {run && <a class="button little" href={`/proof/${run.jobId}`}><Icon name="proof" />Proof</a>}
        <button type="button" class="button little" onClick={() => { setOpen("history"); history.current?.showModal(); }}>History</button>
        {changed && <button type="button" class="button little" onClick={() => { setOpen("settings"); settings.current?.showModal(); }}>Edit</button>}
        {run && answer && <span class="muted small proved">{count(answer.job.result.value?.claims.length ?? 0, "number")} proved</span>}
      </p>
      <dialog ref={history} class="wide" aria-label={`History of ${pin.title}`} onClose={() => setOpen(null)}>
        {open === "history" && <History pin={pin} close={() => history.current?.close()} />}
      </dialog>
      <dialog ref={settings} aria-label={`Edit ${pin.title}`} onClose={() => setOpen(null)}>
        {open === "settings" && changed && <PinSettings pin={pin} answer={answer} close={() => settings.current?.close()} changed={changed} />}
      </dialog>
    </footer>
  );
}
