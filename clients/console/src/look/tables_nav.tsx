// Which table is shown; and the way to any column of any table by a word of it.
import type { TableLook } from "@gen/assay/common/v1/look_pb";
import { useMemo, useState } from "preact/hooks";

import { Pages, usePaged } from "../parts/paged";
import { told } from "../words/numbers";
import { matches } from "./columns";
import { KINDS } from "./words";

const PAGE = 30;
const MOST_FOUND = 60;

interface Props {
  readonly tables: readonly TableLook[];
  readonly shown: string;
  readonly to: (table: string, column?: string) => string;
}

export function TablesNav({ tables, shown, to }: Props) {
  const [words, setWords] = useState("");
  const asked = words.trim().toLowerCase();
  const found = useMemo(() => tables.filter((one) => !asked || [one.name, one.description, ...one.synonyms].some((text) => text.toLowerCase().includes(asked))), [tables, asked]);
  const columns = useMemo(() => (asked ? columnsLike(tables, asked) : []), [tables, asked]);
  const paged = usePaged(found, PAGE, [asked], asked ? 0 : found.findIndex((one) => one.name === shown));
  return (
    <nav class="tables-nav" aria-label="Tables">
      <label><span class="out-of-sight">Find a table or a column</span>
        <input type="search" value={words} placeholder="Find a table or column" onInput={(event) => setWords(event.currentTarget.value)} /></label>
      <ul class="places">
        {paged.shown.map((table) => (
          <li><a href={to(table.name)} aria-current={table.name === shown ? "page" : undefined}><span class="breaks">{table.name}</span><span class="muted small number">{told(table.rows)}</span></a></li>
        ))}
      </ul>
      <Pages paged={paged} of="tables" />
      {columns.length > 0 && (
        <>
          <h3 class="small muted">Columns</h3>
          <ul class="places">
            {columns.slice(0, MOST_FOUND).map(({ table, column, kind }) => (
              <li><a href={to(table, column)}><span class="breaks"><span class="muted">{table}.</span>{column}</span><span class="muted small">{KINDS[kind].word}</span></a></li>
            ))}
          </ul>
          {columns.length > MOST_FOUND && <p class="muted small">and {told(columns.length - MOST_FOUND)} more: keep typing</p>}
        </>
      )}
      {asked && found.length === 0 && columns.length === 0 && <p class="muted small" role="status">No tables or columns match.</p>}
    </nav>
  );
}

function columnsLike(tables: readonly TableLook[], asked: string) {
  const found = tables.flatMap((table) => table.columns.filter((one) => matches(one, asked)).map((one) => ({ table: table.name, column: one.name, kind: one.kind })));
  const first = (name: string) => (name.toLowerCase().includes(asked) ? 0 : 1); // names before values
  return found.sort((a, b) => first(a.column) - first(b.column));
}
