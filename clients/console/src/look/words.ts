// What kinds, uses, repairs and bounds are called.
import { type Doubt, type Repair, Use } from "@gen/assay/common/v1/data_pb";
import { type ColumnLook, SemanticKind } from "@gen/assay/common/v1/look_pb";

import { told } from "../words/numbers";

interface KindTold {
  /** For people. */
  readonly word: string;
  readonly means: string;
  /** In a semantic model; empty where it has no word. */
  readonly written: string;
}

export const KINDS: Readonly<Record<SemanticKind, KindTold>> = {
  [SemanticKind.UNSPECIFIED]: { word: "unknown", means: "nothing shows what it means", written: "" },
  [SemanticKind.ID]: { word: "identifier", means: "identifies a row; not used in calculations", written: "id" },
  [SemanticKind.FLAG]: { word: "yes or no", means: "true or false", written: "flag" },
  [SemanticKind.CATEGORY]: { word: "category", means: "one of a few values; used to group rows", written: "category" },
  [SemanticKind.NAME]: { word: "name", means: "what people call it", written: "name" },
  [SemanticKind.TEXT]: { word: "text", means: "free text", written: "text" },
  [SemanticKind.DATE_PART]: { word: "part of a date", means: "a year, a month or a weekday by itself", written: "date part" },
  [SemanticKind.TIME]: { word: "time", means: "a day or a moment", written: "time" },
  [SemanticKind.AMOUNT]: { word: "amount", means: "can be summed", written: "amount" },
  [SemanticKind.LEVEL]: { word: "level", means: "can be summed, but not over time", written: "level" },
  [SemanticKind.INTENSIVE]: { word: "rate", means: "a rate, price or score: can be averaged, not summed", written: "intensive" },
  [SemanticKind.NUMBER]: { word: "number", means: "used in calculations; not known whether it can be summed", written: "" },
};

export const USES: Readonly<Record<Use, string>> = {
  [Use.UNSPECIFIED]: "",
  [Use.COMPUTED]: "sums, means and sorting",
  [Use.GROUPED]: "grouping",
  [Use.FILTERED]: "filtering",
  [Use.ROWS]: "row counts",
};

/** How much a doubt matters. */
export function weightOf(doubt: Doubt): { word: string; tone: string } {
  if (doubt.weight >= 0.5) return { word: "high impact", tone: "bad" };
  return doubt.weight >= 0.25 ? { word: "medium impact", tone: "warn" } : { word: "low impact", tone: "" };
}

/** A repair as a button says it: what is done. */
export function repairInWords({ kind, column, value }: Repair): string {
  switch (kind) {
    case "nothing": return `Treat ${value} as missing`;
    case "zone": return value === "as-written" ? "Count days in each row's own time zone" : `Count days in ${value || "UTC"}`;
    case "date-order": return { dmy: "Read the day first", mdy: "Read the month first", ymd: "Read the year first" }[value] ?? `Read dates as ${value}`;
    case "century": return `Read years as ${value} to ${Number(value) + 99}`;
    case "leave-out": return column ? `Exclude rows with ${value}` : LEFT_OUT[value] ?? `Exclude ${value}`;
    case "headings": return value === "1" ? "Use one line as the header" : `Use ${value} lines as the header`;
    case "one-table": return value === "no" ? "Keep as separate tables" : "Read as one table";
    case "fill-down": return "Fill labels down";
    case "day-numbers": return "Read the numbers as dates";
    case "since-1970": return `Read the numbers as Unix time, in ${value}`;
    case "duration": return `Read as durations in ${value}`;
    case "magnitudes": return "Read K, M and B as thousands, millions and billions";
    case "split-sheet": return value === "no" ? "Keep the sheet as one table" : "Split into separate tables";
    case "units": return "Read as numbers with a unit";
    case "number": return `Read as numbers, decimals after a ${value}`;
    case "lists": return "Make a table of the list items";
    case "merge": return "Merge the spellings";
    case "plain": return "Compare keys ignoring case, spaces and leading zeros";
    case "whole": return "Read as whole numbers";
    default: return optionOf({ kind, column, value });
  }
}

const LEFT_OUT: Readonly<Record<string, string>> = {
  blank: "Exclude blank rows",
  totals: "Exclude total rows",
  headings: "Exclude repeated header rows",
};

/** As commands and semantic models write it. */
export function optionOf({ kind, column, value }: Pick<Repair, "kind" | "column" | "value">): string {
  return `${kind}${column ? "." : ""}${column}=${value}`;
}

/** A part of a whole: never 0 % of something, never 100 % of less than all. */
export function percent(part: number): string {
  if (part > 0 && part < 0.001) return "under 0.1 %";
  if (part < 1 && part > 0.999) return "over 99.9 %";
  return `${told(Math.round(part * 1000) / 10)} %`;
}

const TIMED = new Set([SemanticKind.TIME, SemanticKind.DATE_PART]);
const COMPUTED = new Set([SemanticKind.AMOUNT, SemanticKind.LEVEL, SemanticKind.INTENSIVE, SemanticKind.NUMBER]);

export function isComputed(column: ColumnLook): boolean {
  return COMPUTED.has(column.kind);
}

/** A bound or a value as people read it: figures with separators, a midnight as its day. */
export function bound(text: string, kind: SemanticKind): string {
  if (COMPUTED.has(kind) && text.trim() !== "" && Number.isFinite(Number(text))) return told(Number(text));
  if (kind === SemanticKind.TIME) return text.replace("T", " ").replace(/:00(\.0+)?$/, "").replace(/ 00:00$/, "");
  return text;
}

/** From where to where, for columns whose order says something. */
export function rangeOf(column: ColumnLook): [string, string] | null {
  if (column.minimum === undefined || column.maximum === undefined) return null;
  if (!COMPUTED.has(column.kind) && !TIMED.has(column.kind)) return null;
  return [bound(column.minimum, column.kind), bound(column.maximum, column.kind)];
}
