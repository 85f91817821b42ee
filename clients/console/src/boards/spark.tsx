// A pin's numbers over time, with the range in which they are expected.
import type { Range, Run } from "@gen/assay/gateway/v1/board_service_pb";

import { numberOf } from "./words";

const WIDE = 240;
const HIGH = 44;
const EDGE = 5;

export interface Line {
  readonly points: readonly (readonly [number, number])[];
  readonly band: { readonly y: number; readonly height: number } | null;
  readonly out: readonly boolean[];
}

/** Oldest first; null where there are fewer than two numbers, or always the same. */
export function lineOf(runs: readonly Run[], range: Range | undefined): Line | null {
  const known = [...runs].reverse().flatMap((run) => {
    const value = numberOf(run);
    return value === null ? [] : [{ value, out: run.outOfRange }];
  });
  if (known.length < 2) return null;
  if (!range && known.every((one) => one.value === known[0]!.value)) return null; // nothing to see
  const limits = [range?.low, range?.high].filter((one): one is number => one !== undefined);
  const values = [...known.map((one) => one.value), ...limits];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => (most === least ? HIGH / 2 : HIGH - EDGE - ((value - least) / (most - least)) * (HIGH - 2 * EDGE));
  const x = (at: number) => EDGE + (at / (known.length - 1)) * (WIDE - 2 * EDGE);
  const [top, foot] = [range?.high === undefined ? 0 : y(range.high), range?.low === undefined ? HIGH : y(range.low)];
  return {
    points: known.map((one, at) => [x(at), y(one.value)]),
    band: limits.length > 0 ? { y: top, height: Math.max(1, foot - top) } : null,
    out: known.map((one) => one.out),
  };
}

export function Spark({ runs, range }: { runs: readonly Run[]; range: Range | undefined }) {
  const line = lineOf(runs, range);
  if (!line) return null;
  const last = line.points.length - 1;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`Last ${line.points.length} numbers; the history lists them as a table.`}>
      {line.band && <rect class="band" x="0" y={line.band.y} width={WIDE} height={line.band.height} />}
      <polyline points={line.points.map((one) => one.join(",")).join(" ")} />
      {line.points.map(([x, y], at) => (at === last || line.out[at]) && <circle class={line.out[at] ? "out" : undefined} cx={x} cy={y} r="3" />)}
    </svg>
  );
}
