// Pairs of periods that people ask about, from how far the data reach. Days are texts like 2024-01-31.
import type { Look, TableLook } from "@gen/assay/common/v1/look_pb";
import { SemanticKind } from "@gen/assay/common/v1/look_pb";

export interface Periods {
  readonly baseline: { readonly start: string; readonly end: string };
  readonly comparison: { readonly start: string; readonly end: string };
}

export const NO_PERIODS: Periods = { baseline: { start: "", end: "" }, comparison: { start: "", end: "" } };

export interface Pair {
  readonly words: string;
  readonly periods: Periods;
}

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const DAY_MILLISECONDS = 86_400_000;

/** The newest pairs that lie within the data, the likeliest first; none where no column tells a time. */
export function pairsOf(first: string, last: string): readonly Pair[] {
  const [from, to] = [parsed(first), parsed(last)];
  if (from === null || to === null) return [];
  const pairs: Pair[] = [];
  const whole = isLastOfMonth(to) ? to : new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth(), 0));
  for (let back = 0; back < 2; back++) {
    const month = monthOf(whole, -back);
    const before = monthOf(whole, -back - 1);
    if (before.start >= from) pairs.push(pair(MONTH.format(month.start), MONTH.format(before.start), before, month));
  }
  const fourWeeks = { start: days(to, -27), end: to };
  const fourBefore = { start: days(to, -55), end: days(to, -28) };
  if (fourBefore.start >= from) pairs.push(pair("last four weeks", "the four weeks before", fourBefore, fourWeeks));
  const lastYear = to.getUTCMonth() === 11 && to.getUTCDate() === 31 ? to.getUTCFullYear() : to.getUTCFullYear() - 1;
  const year = yearOf(lastYear);
  const yearBefore = yearOf(lastYear - 1);
  if (yearBefore.start >= from) pairs.push(pair(String(lastYear), String(lastYear - 1), yearBefore, year));
  return pairs;
}

/** Columns that tell when rows happened, with how far they reach. */
export function timesOf(look: Look | null | undefined): readonly { readonly name: string; readonly table: string; readonly from: string; readonly to: string }[] {
  return (look?.tables ?? []).flatMap((table) => ordered(table)
    .filter((column) => column.kind === SemanticKind.TIME && column.minimum && column.maximum)
    .map((column) => ({ name: column.name, table: table.name, from: column.minimum!, to: column.maximum! })));
}

function ordered(table: TableLook) {
  return [...table.columns].sort((a, b) => Number(b.name === table.timeColumn) - Number(a.name === table.timeColumn));
}

interface Span { readonly start: Date; readonly end: Date }

function pair(later: string, earlier: string, before: Span, after: Span): Pair {
  return { words: `${later} vs. ${earlier}`, periods: { baseline: spanned(before), comparison: spanned(after) } };
}

function spanned({ start, end }: Span): { start: string; end: string } {
  return { start: start.toISOString().slice(0, 10), end: end.toISOString().slice(0, 10) };
}

function parsed(day: string): Date | null {
  const found = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(found.getTime()) ? null : found;
}

function isLastOfMonth(day: Date): boolean {
  return days(day, 1).getUTCDate() === 1;
}

function monthOf(day: Date, months: number): Span {
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + months];
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 0)) };
}

function yearOf(year: number): Span {
  return { start: new Date(Date.UTC(year, 0, 1)), end: new Date(Date.UTC(year, 11, 31)) };
}

function days(day: Date, count: number): Date {
  return new Date(day.getTime() + count * DAY_MILLISECONDS);
}
