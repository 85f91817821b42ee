// What an investigation's steps say: the change, what is usual, the waterfall, and lines along time.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { DateRange, Explanation } from "@gen/assay/common/v1/investigation_pb";

import type { Bar, Point } from "../charts/movement";
import type { Made, Row } from "../mesh/job_frames";

export const DAY = 86_400_000;
const WEEK = 7 * DAY;
const MOST_PAIRS = 400;

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

/** What a metric was on a day: of sums without what is divided by. */
export interface OfDay {
  readonly at: number;
  readonly numerator: number;
  readonly denominator: number | null;
}

/** Relative changes between earlier pairs of periods of the same lengths and weekdays, as metric.change takes them:
 * both a week back, then another, as long as they lie within the history. */
export function placebosOf(days: readonly OfDay[], baseline: DateRange, comparison: DateRange): readonly number[] {
  if (days.length === 0) return [];
  const [first, reach] = [Math.min(day(baseline.start), day(comparison.start)), Math.max(day(baseline.end), day(comparison.end))];
  const begins = Math.min(...days.map((one) => one.at));
  const changes: number[] = [];
  for (let back = Math.ceil((reach - first + DAY) / WEEK); changes.length < MOST_PAIRS && first - back * WEEK >= begins; back++) {
    const changed = changeOf(days, baseline, comparison, back * WEEK);
    if (Number.isFinite(changed)) changes.push(changed);
  }
  return changes;
}

/** The change from one period to the other as a part of their mean, both moved back. */
export function changeOf(days: readonly OfDay[], baseline: DateRange, comparison: DateRange, shift = 0): number {
  const within = (span: DateRange) => days.filter((one) => one.at >= day(span.start) - shift && one.at <= day(span.end) - shift);
  const sum = (span: DateRange, of: (one: OfDay) => number) => within(span).reduce((all, one) => all + of(one), 0);
  const ratio = days.some((one) => one.denominator !== null);
  const amount = (span: DateRange) => sum(span, (one) => one.numerator) / (ratio ? sum(span, (one) => one.denominator ?? 0) : 1);
  const scale = ratio ? 1 : lengthOf(comparison) / lengthOf(baseline);
  const [was, is] = [amount(baseline) * scale, amount(comparison)];
  const size = (Math.abs(was) + Math.abs(is)) / 2;
  return size === 0 ? 0 : (is - was) / size;
}

export function lengthOf(span: DateRange): number {
  return Math.round((day(span.end) - day(span.start)) / DAY) + 1;
}

const RELABELLINGS = 999;

/** What the change is where the days of both periods are dealt out anew, weekday by weekday: what chance alone does.
 * For sums, from the whole by the day; the same numbers each time. */
export function relabelledOf(series: readonly Row[], baseline: DateRange, comparison: DateRange): readonly number[] {
  const days = series.map((row) => ({ at: day(String(row["bucket"])), value: Number(row["value"] ?? 0) }));
  const inside = (span: DateRange) => (one: { at: number }) => one.at >= day(span.start) && one.at <= day(span.end);
  const [before, after] = [days.filter(inside(baseline)), days.filter(inside(comparison))];
  if (before.length < 4 || after.length < 4 || before.some(inside(comparison))) return [];
  const all = [...before, ...after];
  const count = after.length;
  const chance = randomness(20_240_301);
  const changes: number[] = [];
  for (let round = 0; round < RELABELLINGS; round++) {
    let [was, is] = [0, 0];
    for (let weekday = 0; weekday < 7; weekday++) {
      const same = all.map((one, at) => ({ ...one, later: at >= before.length })).filter((one) => new Date(one.at).getUTCDay() === weekday);
      const later = shuffled(same.map((one) => one.later), chance);
      same.forEach((one, at) => (later[at] ? (is += one.value) : (was += one.value)));
    }
    was *= count / before.length;
    changes.push((is - was) / ((Math.abs(was) + Math.abs(is)) / 2 || 1));
  }
  return changes;
}

function shuffled<T>(values: T[], chance: () => number): T[] {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(chance() * (at + 1));
    [values[at], values[other]] = [values[other]!, values[at]!];
  }
  return values;
}

/** Mulberry32: small, and equal in every browser. */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
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
