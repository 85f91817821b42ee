// What an answer's words state of cells, as chains record it, and the kinds of it that this page holds against the cells.
import type { Table } from "apache-arrow";

import { type Cell, cellAt, columnCells } from "./cells";
import { type Json } from "./json";
import { close, compare, type Num, numberIn, sameNumber } from "./numbers";
import { type Claim, list, Malformed, object, text } from "./recorded";

export interface Assertion {
  readonly kind: string;
  readonly place: string;
  readonly start: number;
  readonly end: number;
  readonly frame: string;
  readonly rows: readonly number[];
  readonly columns: readonly string[];
  readonly by: string;
  readonly claimId: bigint;
  readonly ofFrame: string;
  readonly ofColumn: string;
}

export const PIECES = new Set(["number", "name", "column", "quoted", "suggested"]);

/** An assertion as chains record it. Throws Malformed. */
export function assertionOf(value: Json): Assertion {
  const one = object(value);
  const whole = (found: Json | undefined): bigint => {
    if (typeof found !== "bigint") throw new Malformed("a place of an assertion is no whole number");
    return found;
  };
  return {
    kind: text(one, "kind"),
    place: text(one, "place"),
    start: Number(whole(one.get("start"))),
    end: Number(whole(one.get("end"))),
    frame: text(one, "frame_digest"),
    rows: list(one, "rows").map((row) => Number(whole(row))),
    columns: list(one, "columns").map((column) => {
      if (typeof column !== "string") throw new Malformed("a column of an assertion is no text");
      return column;
    }),
    by: text(one, "by"),
    claimId: whole(one.get("claim_id")),
    ofFrame: text(one, "of_digest"),
    ofColumn: text(one, "of_column"),
  };
}

/** No frame of the proof has what an assertion names. */
export class NotThere extends Error {}

export class Cells {
  private readonly columns = new Map<string, readonly Cell[]>();

  constructor(readonly frames: ReadonlyMap<string, Table>, readonly claims: ReadonlyMap<bigint, Claim>) {}

  rows(digest: string): number {
    return this.table(digest).numRows;
  }

  column(digest: string, name: string): readonly Cell[] {
    const key = `${digest} ${name}`;
    const found = this.columns.get(key) ?? columnCells(this.table(digest), this.position(digest, name));
    this.columns.set(key, found);
    return found;
  }

  cell(digest: string, row: number, name: string): Cell {
    const table = this.table(digest);
    const position = this.position(digest, name);
    if (!(Number.isInteger(row) && row >= 0 && row < table.numRows)) throw new NotThere(`row ${row}`);
    return cellAt(table, position, row);
  }

  private table(digest: string): Table {
    const found = this.frames.get(digest);
    if (!found) throw new NotThere(`frame ${digest.slice(0, 8)}`);
    return found;
  }

  private position(digest: string, name: string): number {
    const places = this.table(digest).schema.fields.flatMap((field, at) => (field.name === name ? [at] : []));
    if (places.length !== 1) throw new NotThere(`column '${name}'`);
    return places[0]!;
  }
}

type Check = (one: Assertion, inside: readonly Assertion[], cells: Cells) => string | null;

/** Why the cells do not bear out what is stated, or null; undefined for kinds that this page does not look into. */
export function statedFault(one: Assertion, inside: readonly Assertion[], cells: Cells): string | null | undefined {
  const check = CHECKS[one.kind];
  if (!check) return undefined;
  if (!one.frame || (one.rows.length === 0 && !["none", "empty"].includes(one.kind))) return "it names no cells";
  return check(one, inside, cells);
}

/** The values that are compared, by row: finite, and named unless no row is. */
function compared(one: Assertion, cells: Cells): Map<number, Num> {
  const values = cells.column(one.frame, one.columns[0] ?? "");
  const usable = new Map(values.flatMap((cell, row) => {
    const number = numberIn(cell);
    return number ? [[row, number] as const] : [];
  }));
  if (!one.by) return usable;
  const names = cells.column(one.frame, one.by);
  const named = new Map([...usable].filter(([row]) => names[row]!.is !== "null" && !isEmpty(names[row]!)));
  return named.size > 0 ? named : usable;
}

const isEmpty = (cell: Cell) => cell.is === "text" && cell.value === "";

function extreme(high: boolean, shared: boolean, sign = 0): Check {
  return (one, inside, cells) => {
    const values = compared(one, cells);
    let best: Num | null = null;
    for (const value of values.values()) if (best === null || compare(value, best) * (high ? 1 : -1) > 0) best = value;
    const rows = new Set([...values].filter(([, value]) => sameNumber(value, best!)).map(([row]) => row));
    const [which, column] = [high ? "highest" : "lowest", one.columns[0] ?? ""];
    if (!one.rows.every((row) => rows.has(row))) return `it is not ${which} in column '${column}'`;
    if (!shared && new Set(one.rows).size !== rows.size) return `${rows.size} rows are ${which} in column '${column}'`;
    if (shared && rows.size < 2) return `one row alone is ${which} in column '${column}'`;
    if (best!.near * sign < 0) return `column '${column}' changed the other way there`;
    return ownRows(one, inside, cells);
  };
}

/** Numbers and names in the words are of the rows that are stated, where they are of its frame at all. */
function ownRows(one: Assertion, inside: readonly Assertion[], cells: Cells): string | null {
  for (const claim of claimsIn(inside, cells)) {
    if (claim.frameDigest === one.frame && !one.rows.includes(Number(claim.row))) return `row ${claim.row} of column '${claim.column}' is another's number`;
  }
  const strange = inside.some((piece) => piece.kind === "name" && (piece.frame !== one.frame || !one.rows.includes(piece.rows[0]!)));
  return strange ? "it names another row than it is stated of" : null;
}

function claimsIn(inside: readonly Assertion[], cells: Cells): Claim[] {
  return inside.filter((piece) => piece.kind === "number").map((piece) => {
    const claim = cells.claims.get(piece.claimId);
    if (!claim) throw new NotThere(`claim ${piece.claimId}`);
    return claim;
  });
}

function pairs(one: Assertion): (readonly [number, string])[] {
  const rows = one.rows.length === 1 ? one.columns.map(() => one.rows[0]!) : one.rows;
  const columns = one.columns.length === 1 ? rows.map(() => one.columns[0]!) : one.columns;
  return Array.from({ length: Math.min(rows.length, columns.length) }, (_, at) => [rows[at]!, columns[at]!] as const);
}

const value: Check = (one, inside, cells) => {
  const claimed = claimsIn(inside, cells).map((claim) => `${claim.frameDigest} ${claim.row} ${claim.column}`);
  const wanted = pairs(one).map(([row, column]) => `${one.frame} ${row} ${column}`);
  if (claimed.length !== wanted.length || claimed.some((cell, at) => cell !== wanted[at])) return "its numbers are other cells";
  const named = inside.filter((piece) => piece.kind === "name" && piece.frame === one.frame);
  return named.every((piece) => one.rows.includes(piece.rows[0]!)) ? null : "it names another row";
};

const total: Check = (one, inside, cells) => {
  const sum = cells.column(one.ofFrame, one.ofColumn).reduce((so, cell) => so + (numberIn(cell)?.near ?? 0), 0);
  const told = numberIn(cells.cell(one.frame, one.rows[0]!, one.columns[0] ?? ""));
  if (!told || !close(sum, told.near)) return `column '${one.ofColumn}' adds up to another number`;
  return value(one, inside, cells);
};

const counted: Check = (one, inside, cells) => {
  const told = numberIn(cells.cell(one.frame, one.rows[0]!, one.columns[0] ?? ""));
  const rows = cells.rows(one.ofFrame);
  return told?.near === rows ? value(one, inside, cells) : `the frame has ${rows.toLocaleString("en-US")} rows`;
};

const range: Check = (one, inside, cells) => {
  const ends = pairs(one).map(([row, column]) => numberIn(cells.cell(one.frame, row, column)));
  const column = one.ofFrame ? cells.column(one.ofFrame, one.ofColumn) : cells.column(one.frame, one.columns[0] ?? "");
  const numbers = column.map(numberIn).filter((found) => found !== null).sort(compare);
  const [least, most] = [numbers[0], numbers.at(-1)];
  const right = ends.length === 2 && least && most && ends[0] && ends[1] && compare(ends[0], least) === 0 && compare(ends[1], most) === 0;
  return right ? value(one, inside, cells) : "they are not the ends";
};

const none: Check = (one, _, cells) => {
  const held = one.columns.find((column) => cells.column(one.frame, column).some((cell) => numberIn(cell) !== null));
  return held !== undefined ? `column '${held}' holds numbers` : one.columns.length > 0 ? null : "it names no column";
};

const empty: Check = (one, _, cells) => (cells.rows(one.frame) > 0 ? `the frame has ${cells.rows(one.frame)} rows` : null);

const alike: Check = (one, inside, cells) => {
  const values = [...compared(one, cells).values()];
  const right = values.length > 0 && values.every((found) => sameNumber(found, values[0]!));
  return right ? ownRows(one, inside, cells) : `column '${one.columns[0] ?? ""}' holds several numbers`;
};

const CHECKS: Record<string, Check | undefined> = Object.assign(Object.create(null) as Record<string, Check>, {
  highest: extreme(true, false), highest_shared: extreme(true, true),
  lowest: extreme(false, false), lowest_shared: extreme(false, true),
  rose_most: extreme(true, false, 1), fell_least: extreme(true, false, -1),
  rose_least: extreme(false, false, 1), fell_most: extreme(false, false, -1),
  same: alike, none, empty, value, total, count: counted, range,
});
