// The columns of a table, a page of them at a time.
import { type ColumnLook, type JoinLook, SemanticKind, type TableLook } from "@gen/assay/common/v1/look_pb";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Pages, usePaged } from "../parts/paged";
import { told } from "../words/numbers";
import { Sparkline, Spread } from "./spread";
import { bound, isComputed, KINDS, percent, rangeOf } from "./words";

const PAGE = 25;
const MOST_LETTERS = 48;

interface Props {
  readonly table: TableLook;
  readonly pointed: string;
  readonly to: (table: string, column?: string) => string;
}

export function Columns({ table, pointed, to }: Props) {
  const [words, setWords] = useState("");
  const [kind, setKind] = useState(-1);
  const found = useMemo(() => table.columns.filter((one) => (kind < 0 || one.kind === kind) && matches(one, words)), [table, words, kind]);
  const at = found.findIndex((one) => one.name === pointed);
  const paged = usePaged(found, PAGE, [table.name, words, kind], at);
  const kinds = useMemo(() => [...new Set(table.columns.map((one) => one.kind))].sort((a, b) => a - b), [table]);
  const joins = useMemo(() => byColumn(table.joins), [table]);
  return (
    <section class="stack" aria-label="Columns">
      {table.columns.length > 12 && (
        <div class="row">
          <label class="grows"><span class="out-of-sight">Find a column of {table.name}</span>
            <input type="search" value={words} placeholder={`Find one of ${told(table.columns.length)} columns`} onInput={(event) => setWords(event.currentTarget.value)} /></label>
          <label><span class="out-of-sight">Kind</span>
            <select value={kind} onChange={(event) => setKind(Number(event.currentTarget.value))}>
              <option value={-1}>all kinds</option>
              {kinds.map((one) => <option value={one}>{KINDS[one].word}</option>)}
            </select></label>
        </div>
      )}
      <Pages paged={paged} of="columns" />
      <table class="columns" role="table">
        <caption class="out-of-sight">Columns of {table.name}</caption>
        <thead role="rowgroup"><tr role="row">{["Column", "Kind", "Values", "Empty", "Distribution"].map((name) => <th role="columnheader" scope="col">{name}</th>)}</tr></thead>
        <tbody role="rowgroup">
          {paged.shown.map((column) => (
            <Column key={column.name} column={column} table={table} joins={joins.get(column.name) ?? []} pointed={column.name === pointed} to={to} />
          ))}
        </tbody>
      </table>
      {found.length === 0 && <p class="muted" role="status">No columns match.</p>}
      <Pages paged={paged} of="columns" />
    </section>
  );
}

export function matches(column: ColumnLook, words: string): boolean {
  const asked = words.trim().toLowerCase();
  if (!asked) return true;
  return [column.name, column.description, column.unit, ...column.synonyms, ...column.samples].some((text) => text.toLowerCase().includes(asked));
}

interface ColumnProps extends Omit<Props, "pointed"> {
  readonly column: ColumnLook;
  readonly joins: readonly JoinLook[];
  readonly pointed: boolean;
}

function Column({ column, table, joins, pointed, to }: ColumnProps) {
  const [open, setOpen] = useState(pointed);
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!pointed) return;
    setOpen(true);
    row.current?.scrollIntoView({ block: "center" });
  }, [pointed]);
  const empty = table.rows > 0n ? Number(column.empty) / Number(table.rows) : 0;
  const unseen = !column.formula && table.rows > 0n && column.distinct === 0n && column.empty === 0n;
  return (
    <>
      <tr role="row" ref={row} class={pointed ? "pointed" : undefined}>
        <th role="rowheader" scope="row">
          <span class="breaks name">{column.name}</span>
          {table.key.includes(column.name) && <span class="chip accent" title={table.key.length > 1 ? "part of the key that identifies each row" : "identifies each row"}>key</span>}
          {column.name === table.timeColumn && <span class="chip" title="the date that periods are counted by">time column</span>}
          {joins.map((join) => <a class="small breaks" href={to(join.toTable, join.toColumn)}>→ {join.toTable}</a>)}
          {column.synonyms.length > 0 && <span class="muted small breaks">also called {column.synonyms.join(", ")}</span>}
          {column.description && <span class="muted small breaks">{column.description}</span>}
          {column.formula && <code class="breaks">= {column.formula}</code>}
        </th>
        <td role="cell"><span title={KINDS[column.kind].means}>{column.formula && "metric, "}{KINDS[column.kind].word}</span>{column.unit && <span class="muted breaks"> in {column.unit}</span>}</td>
        <td role="cell">{unseen ? <span class="muted small">not profiled</span> : <Values column={column} />}</td>
        <td role="cell" class={empty > 0.5 ? "mostly" : undefined}>{unseen || column.formula ? "" : column.empty > 0n ? <span title={`${told(column.empty)} rows`}>{percent(empty)} <span class="narrow-only">empty</span></span> : <span class="muted">none<span class="narrow-only"> empty</span></span>}</td>
        <td role="cell">
          {isUnique(column, table) ? <span class="muted small">unique</span> : column.bins.length > 0 ? (
            <button type="button" class="of-spark" aria-expanded={open} aria-label={`Distribution of ${column.name} in numbers`} onClick={() => setOpen(!open)}><Sparkline column={column} rows={table.rows} /></button>
          ) : <span class="muted small">{unseen || column.formula ? "" : "not profiled"}</span>}
        </td>
      </tr>
      {open && column.bins.length > 0 && !isUnique(column, table) && <tr role="row" class="opened"><td role="cell" colSpan={5}><Spread column={column} rows={table.rows} /></td></tr>}
    </>
  );
}

/** Its range and mean, or how many values there are and some of them. */
function Values({ column }: { column: ColumnLook }) {
  const range = rangeOf(column);
  if (range) {
    return (
      <span class="number">
        {range[0] === range[1] ? `always ${range[0]}` : <>{range[0]} <span class="muted">to</span> {range[1]}</>}
        {isComputed(column) && column.mean !== undefined && <span class="muted small block">mean {told(Number(column.mean.toPrecision(4)))}</span>}
        {column.kind === SemanticKind.DATE_PART && <span class="muted small block">{told(column.distinct)} distinct</span>}
      </span>
    );
  }
  if (column.formula) return <span class="muted small">computed when asked for</span>;
  const samples = column.samples.slice(0, 3).map((text) => short(bound(text, column.kind)));
  return (
    <span>
      <span class="number">{told(column.distinct)}</span> <span class="muted">distinct</span>
      {samples.length > 0 && <span class="muted small block samples">such as {samples.map((text) => <q class="breaks">{text}</q>)}</span>}
    </span>
  );
}

/** The distribution of a key's values shows nothing. */
function isUnique(column: ColumnLook, table: TableLook): boolean {
  return column.kind === SemanticKind.ID && column.distinct === table.rows;
}

function short(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

function byColumn(joins: readonly JoinLook[]): Map<string, JoinLook[]> {
  const found = new Map<string, JoinLook[]>();
  for (const join of joins) found.set(join.column, [...(found.get(join.column) ?? []), join]);
  return found;
}
