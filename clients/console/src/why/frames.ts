// What an investigation's steps say: the change, what is usual, the waterfall, and lines along time.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { DateRange, Explanation } from "@gen/assay/common/v1/investigation_pb";

import type { Bar, Bin, Point } from "../charts/movement";
import type { Made, Row } from "../mesh/job_frames";


export function day(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
}

/** The newest step of a tool that gave rows. */
export function newest(made: readonly Made[], tool: string, fits: (one: Made) => boolean = () => true): Made | undefined {
  return made.findLast((one) => one.tool === tool && fits(one));
}

export interface Statistic {
  readonly row: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
}

/** Of `metric.change`, by name. */
export function statisticsOf(rows: readonly Row[]): ReadonlyMap<string, Statistic> {
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return new Map(rows.map((row, at) => [String(row["statistic"]), { row: at, value: number(row["value"]), low: number(row["low"]), high: number(row["high"]), text: String(row["text"] ?? "") }]));
}

export function claimOf(claims: readonly Claim[], digest: string, row: number, column: string): Claim | undefined {
  return claims.find((one) => one.frameDigest === digest && Number(one.row) === row && one.column === column);
}

export function barsOf(rows: readonly Row[]): readonly Bar[] {
  return rows.map((row) => ({ label: String(row["label"]), start: Number(row["start"]), end: Number(row["end"]), kind: String(row["kind"]), effect: Number(row["effect"]) }));
}

/** What the change was held against, all of it as parts of the mean of both periods. */
export interface Usual {
  readonly own: number;
  readonly pairs: readonly { readonly value: number; readonly words: string }[];
  readonly bins: readonly Bin[];
}

/** Null where nothing was told of it. */
export function usualOf(rows: readonly Row[]): Usual | null {
  const of = (name: string) => rows.filter((row) => row["statistic"] === name && typeof row["value"] === "number");
  const own = of("movement")[0]?.["value"];
  if (typeof own !== "number") return null;
  return {
    own,
    pairs: of("earlier_pair").map((row) => ({ value: Number(row["value"]), words: String(row["text"]) })),
    bins: of("by_chance").map((row) => ({ count: Number(row["value"]), low: Number(row["low"]), high: Number(row["high"]) })),
  };
}

/** The step that tells a segment's own line, of the explanation that it is about. */
export function seriesOf(made: readonly Made[], explanation: Explanation): Made | undefined {
  return newest(made, "metric.series", (one) => {
    const within = (one.asked["within"] ?? {}) as Record<string, string | null>;
    return Object.keys(within).length === explanation.segment.length && explanation.segment.length > 0
      && explanation.segment.every((part) => part.dimension in within && (within[part.dimension] ?? null) === (part.value ?? null));
  });
}

/** A segment's own line beside the rest, or beside the whole where values do not add up; each 100 in its own baseline. */
export function linesOf(own: readonly Row[], whole: readonly Row[], additive: boolean, baseline: DateRange, names: readonly [string, string]): readonly Point[] | null {
  const value = (row: Row) => (typeof row["value"] === "number" ? row["value"] : Number.NaN);
  const of = new Map(own.map((row) => [day(String(row["bucket"])), value(row)]));
  const others = whole.map((row) => {
    const at = day(String(row["bucket"]));
    return { at, value: additive ? value(row) - (of.get(at) ?? 0) : value(row) };
  });
  const lines = [[...of].map(([at, found]) => ({ at, value: found })), others];
  const points: Point[] = [];
  for (const [which, line] of lines.entries()) {
    const known = line.filter((one) => Number.isFinite(one.value));
    const usual = known.filter((one) => one.at >= day(baseline.start) && one.at <= day(baseline.end));
    const mean = usual.reduce((sum, one) => sum + one.value, 0) / usual.length;
    if (!Number.isFinite(mean) || mean === 0) return null;
    points.push(...known.map((one) => ({ ...one, who: names[which]!, index: (one.value / mean) * 100 })));
  }
  return points;
}
