// One table: what a row is, how many, from when to when, its columns, what it refers to, its first rows.
import type { TableLook } from "@gen/assay/common/v1/look_pb";
import type { Doubt } from "@gen/assay/common/v1/data_pb";

import { count } from "../words/numbers";
import type { Data } from "./asking";
import { Columns } from "./columns";
import { FirstRows } from "./first_rows";
import { JoinsListed } from "./joins_listed";
import { bound } from "./words";

interface Props {
  readonly data: Data;
  readonly table: TableLook;
  readonly tables: readonly TableLook[];
  readonly doubts: readonly Doubt[];
  readonly pointed: string;
  readonly to: (table: string, column?: string) => string;
  readonly toDoubts: string;
}

export function TablePage({ data, table, tables, doubts, pointed, to, toDoubts }: Props) {
  const open = doubts.filter((one) => one.table === table.name && !one.repaired);
  const span = spanOf(table, tables);
  const from = data.stored.find((file) => file.originalName === table.sourceName) ?? (data.stored.length === 1 ? data.stored[0] : undefined);
  const joined = [table, ...tables.filter((one) => one !== table)].flatMap((one) =>
    one.joins.filter((join) => one === table || join.toTable === table.name).map((join) => ({ from: one, join })));
  return (
    <article class="card table-page" aria-labelledby="this-table">
      <div class="stack tight">
        <h2 id="this-table" class="breaks">{table.name}</h2>
        {table.sourceName && <p class="muted small breaks">from {table.sourceName}</p>}
        {table.description && <p class="breaks">{table.description}</p>}
        {table.synonyms.length > 0 && <p class="muted breaks">also called {table.synonyms.join(", ")}</p>}
      </div>
      <dl class="facts">
        <div><dt>rows</dt><dd class="number big">{table.rows.toLocaleString("en")}</dd></div>
        <div><dt>one row is</dt><dd class="breaks">{grain(table)}</dd></div>
        {span && <div><dt class="breaks">range of {span.column}</dt><dd class="number">{span.from} <span class="muted">to</span> {span.to}</dd></div>}
        <div><dt>columns</dt><dd class="number">{count(table.columns.filter((one) => !one.formula).length, "column")}{metrics(table)}</dd></div>
      </dl>
      {open.length > 0 && <p class="note warn"><a class="breaks" href={toDoubts}>{count(open.length, "doubt")}: {open[0]!.said}{open.length > 1 && " …"}</a></p>}
      <Columns table={table} pointed={pointed} to={to} />
      {joined.length > 0 && <section class="stack" aria-labelledby="hangs-together"><h3 id="hangs-together">Joins with other tables</h3><JoinsListed joins={joined} to={to} /></section>}
      {from && <FirstRows key={`${from.fileId}:${table.name}`} fileId={from.fileId} table={table.name} />}
    </article>
  );
}

function metrics(table: TableLook): string {
  const found = table.columns.filter((one) => one.formula).length;
  return found ? `, ${count(found, "metric")}` : "";
}

function grain(table: TableLook): string {
  if (table.key.length === 0) return "unknown: no key was found";
  return `one ${table.key.join(" and ")}${table.keyDeclared ? " (declared)" : ""}`;
}

/** The range of its time column. */
function spanOf(table: TableLook, tables: readonly TableLook[]): { column: string; from: string; to: string } | null {
  if (!table.timeColumn) return null;
  const own = table.columns.find((one) => one.name === table.timeColumn);
  const [other, name] = [table.timeColumn.slice(0, table.timeColumn.lastIndexOf(".")), table.timeColumn.slice(table.timeColumn.lastIndexOf(".") + 1)];
  const column = own ?? tables.find((one) => one.name === other)?.columns.find((one) => one.name === name);
  if (column?.minimum === undefined || column.maximum === undefined) return null;
  return { column: table.timeColumn, from: day(bound(column.minimum, column.kind)), to: day(bound(column.maximum, column.kind)) };
}

function day(text: string): string {
  return /^\d{4}-\d\d-\d\d/.test(text) ? text.slice(0, 10) : text;
}
