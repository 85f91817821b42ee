// Specifications of what an investigation shows: a waterfall, a segment beside the rest, and what is usual.
import type { TopLevelSpec } from "vega-lite";

import { short, signed } from "../words/amounts";
import { PALETTE } from "./spec";

export interface Bar {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly effect: number;
}

export interface Point {
  readonly at: number;
  readonly who: string;
  readonly index: number;
  readonly value: number;
}

export interface Shade {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";
const [BLUE, AMBER, GREEN, , RED] = PALETTE as [string, string, string, string, string];
const GREY = "#8b867c";

/** From one period to the other, a step an explanation. */
export function waterfallOf(bars: readonly Bar[], unit: string): TopLevelSpec {
  const values = bars.map((bar) => ({ ...bar, behind: Math.max(bar.start, bar.end), words: bar.kind === "total" ? short(bar.effect) : signed(bar.effect) }));
  const order = bars.map((bar) => bar.label);
  const y = { field: "label", type: "nominal", sort: order, title: null, axis: { labelLimit: room(260) } };
  const ends = bars.flatMap((bar) => [bar.start, bar.end]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const parts = bars.filter((bar) => bar.kind !== "total").flatMap((bar) => [bar.start, bar.end]);
  const small = parts.length > 0 && Math.min(...parts) > 0 && (Math.max(...parts) - Math.min(...parts)) / Math.max(...parts) < 0.08;
  return {
    $schema: SCHEMA,
    width: "container",
    height: bars.length * 44,
    autosize: { type: "fit-x", contains: "padding" },
    data: { values },
    layer: [
      {
        mark: { type: "bar", cornerRadius: 2, height: 24, clip: true },
        encoding: {
          y,
          x: { field: "start", type: "quantitative", title: small ? `${unit} (the axis does not begin at zero)` : unit, axis: { format: Math.max(Math.abs(low), Math.abs(high)) >= 100_000 ? "~s" : ",~r" }, scale: { domain: [small ? Math.min(...parts) * 0.96 : Math.min(low, 0), high + Math.abs(high - low) * 0.12], nice: false } },
          x2: { field: "end" },
          color: {
            field: "kind", type: "nominal", legend: null,
            scale: { domain: ["total", "up", "down", "rest"], range: [BLUE, GREEN, RED, GREY] },
          },
          tooltip: [{ field: "label", type: "nominal", title: "step" }, { field: "words", type: "nominal", title: "amount" }],
        },
      },
      { mark: { type: "text", align: "left", dx: 6, baseline: "middle" },
        encoding: { y, x: { field: "behind", type: "quantitative" }, text: { field: "words", type: "nominal" } } },
    ],
  } as unknown as TopLevelSpec;
}

/** Lines of which each is 100 in its own baseline, so that one sees which of them moved. */
export function besideOf(points: readonly Point[], shades: readonly Shade[], onset: number | null, who: readonly string[]): TopLevelSpec {
  const x = { field: "at", type: "temporal", title: null, scale: { type: "utc" }, axis: { labelAngle: 0, labelOverlap: true, labelFlush: true, labelBound: 2, grid: false } };
  const colour = { field: "who", type: "nominal", title: null, scale: { domain: who, range: [RED, GREY] }, legend: { orient: "top", labelLimit: room(320), columns: innerWidth < 560 ? 1 : 2 } };
  const y = { field: "index", type: "quantitative", title: "index, 100 = own baseline mean", scale: { zero: false } };
  return {
    $schema: SCHEMA,
    width: "container",
    height: 260,
    autosize: { type: "fit-x", contains: "padding" },
    layer: [
      { data: { values: shades }, mark: { type: "rect", opacity: 0.1, color: BLUE },
        encoding: { x: { ...x, field: "from" }, x2: { field: "to" }, tooltip: { field: "label", type: "nominal", title: "period" } } },
      ...shades.map((shade, at) => ({ // one below the other: on a narrow page they would run into each other
        data: { values: [shade] }, mark: { type: "text", align: "left", baseline: "top", dx: 4, dy: 4 + at * 14, fontSize: 11 },
        encoding: { x: { ...x, field: "from" }, y: { value: 0 }, text: { field: "label", type: "nominal" } },
      })),
      ...(onset === null ? [] : [
        { data: { values: [{ at: onset }] }, mark: { type: "rule", strokeDash: [5, 4], color: AMBER, strokeWidth: 2 }, encoding: { x } },
        { data: { values: [{ at: onset }] }, mark: { type: "text", align: "right", baseline: "bottom", dx: -5, dy: -4, fontSize: 11 }, encoding: { x, y: { value: "height" }, text: { value: "began" } } },
      ]),
      { data: { values: points }, mark: { type: "line", strokeWidth: 1, opacity: 0.3 }, encoding: { x, y, color: colour } },
      { data: { values: points },
        transform: [{ window: [{ op: "mean", field: "index", as: "smooth" }], frame: [-3, 3], groupby: ["who"], sort: [{ field: "at" }] }],
        mark: { type: "line", strokeWidth: 2.5, point: false },
        encoding: { x, y: { ...y, field: "smooth" }, color: colour,
          tooltip: [{ field: "who", type: "nominal", title: "of" }, { field: "at", type: "temporal", format: "%Y-%m-%d", title: "from" }, { field: "value", type: "quantitative", format: ",.4~r", title: "value" }, { field: "index", type: "quantitative", format: ".0f", title: "index" }] } },
    ],
  } as unknown as TopLevelSpec;
}

export interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

const MOVED = "change, relative to the mean of both periods";

/** Where one change lies among those of earlier pairs of periods. */
export function amongPairsOf(pairs: readonly { readonly value: number; readonly words: string }[], own: number): TopLevelSpec {
  const x = { field: "value", type: "quantitative", bin: { maxbins: 32, extent: reach([...pairs.map((one) => one.value), own]) }, axis: { format: "+.0%" }, title: MOVED };
  return amongOf([
    { data: { values: pairs }, mark: { type: "bar", color: GREY, opacity: 0.7 },
      encoding: { x, y: { aggregate: "count", title: "pairs of periods" }, tooltip: [{ aggregate: "count", title: "pairs of periods" }] } },
  ], own);
}

/** Where one change lies among those that chance makes, counted in bins. */
export function amongBinsOf(bins: readonly Bin[], own: number): TopLevelSpec {
  return amongOf([
    { data: { values: bins }, mark: { type: "bar", color: GREY, opacity: 0.7 },
      encoding: { x: { field: "low", type: "quantitative", bin: "binned", axis: { format: "+.0%" }, title: MOVED, scale: { domain: reach([bins[0]!.low, bins.at(-1)!.high, own]) } },
        x2: { field: "high" }, y: { field: "count", type: "quantitative", title: "permutations" },
        tooltip: [{ field: "low", type: "quantitative", format: "+.1%", title: "from" }, { field: "high", type: "quantitative", format: "+.1%", title: "to" }, { field: "count", type: "quantitative", title: "permutations" }] } },
  ], own);
}

function amongOf(others: readonly object[], own: number): TopLevelSpec {
  return {
    $schema: SCHEMA,
    width: "container",
    height: 160,
    autosize: { type: "fit-x", contains: "padding" },
    layer: [
      ...others,
      { data: { values: [{ value: own }] }, mark: { type: "rule", color: RED, strokeWidth: 3 },
        encoding: { x: { field: "value", type: "quantitative" }, tooltip: { field: "value", type: "quantitative", format: "+.1%", title: "this change" } } },
      { data: { values: [{ value: own }] }, mark: { type: "text", align: own < 0 ? "left" : "right", dx: own < 0 ? 6 : -6, baseline: "top", fontWeight: 600 },
        encoding: { x: { field: "value", type: "quantitative" }, y: { value: 0 }, text: { value: "this change" } } },
    ],
  } as unknown as TopLevelSpec;
}

/** How wide labels may be: on a narrow page they would leave no room for what they name. */
export function room(pixels: number): number {
  return innerWidth < 560 ? Math.min(pixels, 112) : pixels;
}

function reach(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((high - low) * 0.04, 1e-6);
  return [low - room, high + room];
}
