// What a repair changed: two looks at the same data, compared.
import type { ColumnLook, Look } from "@gen/assay/common/v1/look_pb";

import { told } from "../words/numbers";
import { KINDS, rangeOf } from "./words";

export interface Difference {
  /** Table, or table and column. */
  readonly of: string;
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

const MOST = 40;

export function differences(before: Look, after: Look): Difference[] {
  const found: Difference[] = [];
  const olds = new Map(before.tables.map((one) => [one.name, one]));
  for (const table of after.tables) {
    const old = olds.get(table.name);
    olds.delete(table.name);
    if (!old) {
      found.push({ of: table.name, what: "table", before: "absent", after: `${told(table.rows)} rows` });
      continue;
    }
    if (old.rows !== table.rows) found.push({ of: table.name, what: "rows", before: told(old.rows), after: told(table.rows) });
    const columns = new Map(old.columns.map((one) => [one.name, one]));
    for (const column of table.columns) {
      found.push(...ofColumn(`${table.name}.${column.name}`, columns.get(column.name), column));
      columns.delete(column.name);
    }
    for (const name of columns.keys()) found.push({ of: `${table.name}.${name}`, what: "column", before: "present", after: "removed" });
  }
  for (const name of olds.keys()) found.push({ of: name, what: "table", before: "present", after: "removed" });
  return found.slice(0, MOST);
}

function ofColumn(of: string, old: ColumnLook | undefined, now: ColumnLook): Difference[] {
  if (!old) return [{ of, what: "column", before: "absent", after: KINDS[now.kind].word }];
  const pairs: [string, string, string][] = [
    ["kind", KINDS[old.kind].word, KINDS[now.kind].word],
    ["range", rangeOf(old)?.join(" to ") ?? "", rangeOf(now)?.join(" to ") ?? ""],
    ["mean", mean(old), mean(now)],
    ["distinct values", told(old.distinct), told(now.distinct)],
    ["empty", told(old.empty), told(now.empty)],
  ];
  return pairs.filter(([, a, b]) => a !== b).map(([what, a, b]) => ({ of, what, before: a || "none", after: b || "none" }));
}

function mean(column: ColumnLook): string {
  return column.mean === undefined ? "" : told(Number(column.mean.toPrecision(4)));
}
