// Look: the data before any question. Tables, joins, doubts with their repairs, and the semantic model.
import "../styles/look.css";
import type { Look as Seen } from "@gen/assay/common/v1/look_pb";
import { useLocation, useRoute } from "preact-iso";
import { useMemo, useRef, useState } from "preact/hooks";

import { AS_EVER, type Data, findData, hasData, lookAt, type Reading } from "../look/asking";
import { DoubtsView } from "../look/doubts_view";
import { JoinsView } from "../look/joins_view";
import { TablePage } from "../look/table_page";
import { TablesNav } from "../look/tables_nav";
import type { MeaningProps } from "../meaning/meaning";
import { sources } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { Drop } from "../parts/drop";
import { InTrouble, Waiting } from "../parts/states";
import { count } from "../words/numbers";

/** Longer notes are folded. */
const MOST_LETTERS = 300;

type View = "tables" | "joins" | "doubts" | "meaning";

export function Look() {
  const { query } = useRoute();
  const name = query["source"] ?? "";
  return <OfSource key={name} name={name} />;
}

function OfSource({ name }: { name: string }) {
  const data = useLoaded((signal) => findData(name, signal), [name]);
  const [reading, setReading] = useState<Reading>(AS_EVER);
  const before = useRef<Seen | null>(null);
  const look = useLoaded(async (signal) => (data.value && hasData(data.value) ? lookAt(data.value, reading, signal) : null), [data.value, reading]);
  const known = useLoaded(async (signal) => (await sources.listSources({ pageSize: 100 }, { signal })).sources, []);

  function read(next: Reading): void {
    before.current = look.value ?? null;
    setReading(next);
  }

  return (
    <>
      <header>
        <div><h1>Look</h1><p class="muted">What is in the data, what to doubt, and what it means, before you ask.</p></div>
        <SourceChoice name={name} known={known.value?.map((one) => one.name) ?? []} />
      </header>
      <InTrouble trouble={data.trouble} again={data.again} />
      {data.loading && !data.value && <Waiting />}
      {data.value && !hasData(data.value) && (
        <section class="card stack"><h2>No data yet</h2>
          <p class="muted">Drop a file to see what is in it{(known.value?.length ?? 0) > 0 && ", or choose a source above"}.</p><Drop stored={data.again} /></section>
      )}
      {data.value && hasData(data.value) && (
        <>
          {look.loading && <Waiting>{look.value ? "Reading again…" : "Profiling every table… This can take a minute if there are many."}</Waiting>}
          <InTrouble trouble={look.trouble} again={look.again} />
          {look.value && <Shown data={data.value} look={look.value} before={before.current} reading={reading} busy={look.loading} read={read} again={data.again} />}
        </>
      )}
    </>
  );
}

function SourceChoice({ name, known }: { name: string; known: readonly string[] }) {
  const { route } = useLocation();
  if (known.length === 0 && !name) return null;
  return (
    <label class="row small">Source
      <select class="fits" value={name} onChange={(event) => { const to = event.currentTarget.value; route(to ? `/look?source=${encodeURIComponent(to)}` : "/look"); }}>
        <option value="">files in this workspace</option>
        {name && !known.includes(name) && <option value={name}>{name}</option>}
        {known.map((one) => <option value={one}>{one}</option>)}
      </select></label>
  );
}

interface ShownProps {
  readonly data: Data;
  readonly look: Seen;
  readonly before: Seen | null;
  readonly reading: Reading;
  readonly busy: boolean;
  readonly read: (reading: Reading) => void;
  readonly again: () => void;
}

function Shown({ data, look, before, reading, busy, read, again }: ShownProps) {
  const { query } = useRoute();
  const view = (query["view"] ?? "tables") as View;
  const at = (more: Record<string, string>) => address(data.name, more);
  const to = (table: string, column = "") => at({ table, column });
  const table = look.tables.find((one) => one.name === query["table"]) ?? look.tables[0];
  const joins = useMemo(() => look.tables.reduce((sum, one) => sum + one.joins.length, 0), [look]);
  const open = look.doubts.filter((one) => !one.repaired).length;
  const several = look.tables.length > 1;
  const notes = [...look.notes, look.leftOut].filter(Boolean);
  return (
    <>
      {look.questions.length > 0 && (
        <div class="questions" role="group" aria-label="Questions that this data can answer">
          {look.questions.map((question) => <a class="chip" href={`/ask?q=${encodeURIComponent(question)}${data.known ? `&source=${encodeURIComponent(data.name)}` : ""}`}><span class="breaks">{question}</span></a>)}
        </div>
      )}
      <nav class="views" aria-label="Views">
        <a href={at({})} aria-current={view === "tables" ? "page" : undefined}>{count(look.tables.length, "table")}</a>
        {several && <a href={at({ view: "joins" })} aria-current={view === "joins" ? "page" : undefined}>{count(joins, "join")}</a>}
        <a href={at({ view: "doubts" })} aria-current={view === "doubts" ? "page" : undefined}>{count(open, "doubt")}</a>
        <a href={at({ view: "meaning" })} aria-current={view === "meaning" ? "page" : undefined}>Semantic model</a>
      </nav>
      {view === "tables" && notes.length > 0 && <Notes notes={notes} />}
      {view === "tables" && table && (
        <div class={several ? "beside" : undefined}>
          {several && <TablesNav tables={look.tables} shown={table.name} to={to} />}
          <TablePage key={table.name} data={data} table={table} tables={look.tables} doubts={look.doubts} pointed={query["column"] ?? ""} to={to} toDoubts={at({ view: "doubts" })} />
        </div>
      )}
      {view === "joins" && <JoinsView tables={look.tables} to={to} />}
      {view === "doubts" && <DoubtsView look={look} before={before} reading={reading} busy={busy} read={read} to={to} keepAt={at({ view: "meaning", keep: "repairs" })} />}
      {view === "meaning" && <MeaningLater data={data} look={look} reading={reading} keep={query["keep"] === "repairs"} again={again} />}
    </>
  );
}

/** The editor is large, and loaded on first use. */
function MeaningLater(props: MeaningProps) {
  const part = useLoaded(() => import("../meaning/meaning"), []);
  if (part.value) return <part.value.Meaning {...props} />;
  return part.trouble ? <InTrouble trouble={part.trouble} again={part.again} /> : <Waiting />;
}

function Notes({ notes }: { notes: readonly string[] }) {
  const listed = <ul class="stack tight">{notes.slice(0, 200).map((one) => <li class="breaks">{one}</li>)}</ul>;
  return notes.length <= 2 && notes.join().length < MOST_LETTERS ? <div class="note small">{listed}</div> : <details class="note small"><summary>{count(notes.length, "note")} on how the data was read</summary>{listed}</details>;
}

function address(source: string, more: Record<string, string>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ source, ...more })) if (value) query.set(name, value);
  return query.size > 0 ? `/look?${query}` : "/look";
}
