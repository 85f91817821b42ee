// Specifications of what a causal study shows: estimates in a forest, balance before and after, and how strong
// an unobserved confounder would have to be.
import type { TopLevelSpec } from "vega-lite";

import { room } from "./movement";
import { PALETTE } from "./spec";

const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";
const [BLUE, AMBER, , , RED] = PALETTE as [string, string, string, string, string];
const GREY = "#8b867c";

export interface Estimate {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly kind: "primary estimate" | "alternative" | "rejected" | "unadjusted";
}

const COLOURS = { "primary estimate": RED, "alternative": BLUE, "unadjusted": AMBER, "rejected": GREY } as const;
const KINDS = Object.keys(COLOURS) as (keyof typeof COLOURS)[];

/** Estimates with their 95 % intervals, one below the other, and where no effect would be. */
export function forestOf(estimates: readonly Estimate[], unit: string): TopLevelSpec {
  const y = { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: room(300) } };
  const kinds = KINDS.filter((kind) => estimates.some((one) => one.kind === kind));
  const legend = { orient: "top", columns: innerWidth < 560 ? 1 : 0 };
  const colour = { field: "kind", type: "nominal", title: null, scale: { domain: kinds, range: kinds.map((kind) => COLOURS[kind]) }, legend };
  const tooltip = [{ field: "label", type: "nominal", title: "method" }, { field: "estimate", type: "quantitative", format: ",.4~r", title: "estimate" }, { field: "low", type: "quantitative", format: ",.4~r", title: "from" }, { field: "high", type: "quantitative", format: ",.4~r", title: "to" }];
  return {
    $schema: SCHEMA,
    width: "container", height: Math.max(estimates.length * 26, 60), autosize: { type: "fit-x", contains: "padding" },
    data: { values: [...estimates] },
    layer: [
      { data: { values: [{ none: 0 }] }, mark: { type: "rule", strokeDash: [4, 4], opacity: 0.7 }, encoding: { x: { field: "none", type: "quantitative", title: unit } } },
      { mark: { type: "rule", strokeWidth: 2.5 }, encoding: { y, x: { field: "low", type: "quantitative", title: unit, scale: { zero: false } }, x2: { field: "high" }, color: colour, tooltip } },
      { mark: { type: "point", filled: true, size: 90, opacity: 1 }, encoding: { y, x: { field: "estimate", type: "quantitative" }, color: colour, shape: { field: "kind", type: "nominal", title: null, scale: { domain: kinds }, legend }, tooltip } },
    ],
  } as unknown as TopLevelSpec;
}

export interface Balance {
  readonly column: string;
  readonly when: "before" | "after weighting";
  readonly difference: number;
}

/** Standardised mean difference of each column, before and after. */
export function balanceOf(points: readonly Balance[]): TopLevelSpec {
  const columns = new Set(points.map((one) => one.column)).size;
  const y = { field: "column", type: "nominal", title: null, axis: { labelLimit: room(220) }, sort: { field: "difference", op: "max", order: "descending" } };
  return {
    $schema: SCHEMA,
    width: "container", height: Math.max(columns * 26, 60), autosize: { type: "fit-x", contains: "padding" },
    data: { values: [...points] },
    layer: [
      { data: { values: [{ from: 0, to: 0.1 }] }, mark: { type: "rect", opacity: 0.1, color: BLUE }, encoding: { x: { field: "from", type: "quantitative" }, x2: { field: "to" } } },
      { mark: { type: "line", color: GREY, opacity: 0.6 }, encoding: { y, detail: { field: "column" }, x: { field: "difference", type: "quantitative" } } },
      { mark: { type: "point", filled: true, size: 80, opacity: 1 },
        encoding: { y, x: { field: "difference", type: "quantitative", title: "standardised mean difference" },
          color: { field: "when", type: "nominal", title: null, scale: { domain: ["before", "after weighting"], range: [AMBER, BLUE] }, legend: { orient: "top" } },
          shape: { field: "when", type: "nominal", title: null, scale: { domain: ["before", "after weighting"] }, legend: { orient: "top" } },
          tooltip: [{ field: "column", type: "nominal" }, { field: "when", type: "nominal" }, { field: "difference", type: "quantitative", format: ".3f" }] } },
    ],
  } as unknown as TopLevelSpec;
}

export interface Chances {
  readonly group: string;
  readonly least: number;
  readonly middle: number;
  readonly most: number;
}

/** Propensity scores in each group: groups can be compared where these overlap. */
export function overlapOf(groups: readonly Chances[]): TopLevelSpec {
  const y = { field: "group", type: "nominal", title: null, sort: null, axis: { labelLimit: room(220) } };
  return {
    $schema: SCHEMA,
    width: "container", height: groups.length * 34, autosize: { type: "fit-x", contains: "padding" },
    data: { values: [...groups] },
    layer: [
      { mark: { type: "bar", height: 12, cornerRadius: 6, color: BLUE, opacity: 0.45 },
        encoding: { y, x: { field: "least", type: "quantitative", title: "propensity score", scale: { domain: [0, 1] }, axis: { format: ".0%" } }, x2: { field: "most" },
          tooltip: [{ field: "group", type: "nominal" }, { field: "least", type: "quantitative", format: ".0%", title: "minimum" }, { field: "middle", type: "quantitative", format: ".0%", title: "median" }, { field: "most", type: "quantitative", format: ".0%", title: "maximum" }] } },
      { mark: { type: "tick", thickness: 3, height: 20, color: RED }, encoding: { y, x: { field: "middle", type: "quantitative" } } },
    ],
  } as unknown as TopLevelSpec;
}

export interface GroupBin {
  readonly group: string;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** How the chances of two groups are spread, one upwards and the other downwards, each as parts of its own rows. */
export function mirroredOf(bins: readonly GroupBin[]): TopLevelSpec {
  const groups = [...new Set(bins.map((one) => one.group))];
  const rows = new Map(groups.map((group) => [group, bins.filter((one) => one.group === group).reduce((all, one) => all + one.count, 0)]));
  const values = bins.map((one) => {
    const share = one.count / (rows.get(one.group) || 1);
    return { ...one, share, drawn: groups.indexOf(one.group) === 0 ? share : -share };
  });
  return {
    $schema: SCHEMA,
    width: "container", height: 220, autosize: { type: "fit-x", contains: "padding" },
    data: { values },
    layer: [
      { mark: { type: "bar", opacity: 0.75 },
        encoding: {
          x: { field: "low", type: "quantitative", bin: "binned", title: "propensity score", scale: { domain: [0, 1] }, axis: { format: ".0%" } }, x2: { field: "high" },
          y: { field: "drawn", type: "quantitative", title: "part of the group", axis: { labelExpr: "format(abs(datum.value), '.0%')" } },
          color: { field: "group", type: "nominal", title: null, scale: { domain: groups, range: [BLUE, AMBER] }, legend: { orient: "top", labelLimit: room(220) } },
          tooltip: [{ field: "group", type: "nominal" }, { field: "low", type: "quantitative", format: ".0%", title: "from" }, { field: "high", type: "quantitative", format: ".0%", title: "to" }, { field: "count", type: "quantitative", format: ",", title: "rows" }, { field: "share", type: "quantitative", format: ".1%", title: "of the group" }],
        } },
      { data: { values: [{ at: 0 }] }, mark: { type: "rule", color: GREY }, encoding: { y: { field: "at", type: "quantitative" } } },
    ],
  } as unknown as TopLevelSpec;
}

export interface Contour {
  readonly treatment: number;
  readonly outcome: number;
  readonly estimate: number;
}

/** The remaining effect by the strength of an unobserved confounder; known columns are marked for comparison. */
export function contourOf(cells: readonly Contour[], known: readonly { readonly column: string; readonly treatment: number; readonly outcome: number }[], step: number, unit: string): TopLevelSpec {
  const reach = Math.abs(cells[0]!.estimate) * 1.2 || 1; // what lies beyond is past saving either way
  const most = Math.max(...cells.map((one) => one.treatment)) + step;
  const shown = known.filter((one) => one.treatment <= most && one.outcome <= most);
  const percent = { axis: { format: ".0%", grid: false } };
  return {
    $schema: SCHEMA,
    width: "container", height: 280, autosize: { type: "fit-x", contains: "padding" },
    layer: [
      { data: { values: cells.map((one) => ({ ...one, right: one.treatment + step, top: one.outcome + step })) }, mark: { type: "rect", clip: true },
        encoding: { x: { field: "treatment", type: "quantitative", title: "partial R² with the treatment", ...percent, scale: { domain: [0, most], nice: false } }, x2: { field: "right" },
          y: { field: "outcome", type: "quantitative", title: "partial R² with the outcome", ...percent, scale: { domain: [0, most], nice: false } }, y2: { field: "top" },
          color: { field: "estimate", type: "quantitative", title: unit, legend: { orient: innerWidth < 560 ? "bottom" : "right" }, scale: { scheme: "redblue", domain: [-reach, reach], clamp: true } },
          tooltip: [{ field: "treatment", type: "quantitative", format: ".0%" }, { field: "outcome", type: "quantitative", format: ".0%" }, { field: "estimate", type: "quantitative", format: ",.3~r", title: "remaining effect" }] } },
      { data: { values: shown }, mark: { type: "point", filled: true, size: 70, color: "#1d1c19", stroke: "#ffffff", strokeWidth: 1.5, opacity: 1 },
        encoding: { x: { field: "treatment", type: "quantitative" }, y: { field: "outcome", type: "quantitative" }, tooltip: { field: "column", type: "nominal", title: "as strong as" } } },
      { data: { values: shown.filter((one) => one.treatment > 0.04 || one.outcome > 0.04) }, mark: { type: "text", align: "left", dx: 8, color: "#1d1c19", clip: true }, encoding: { x: { field: "treatment", type: "quantitative" }, y: { field: "outcome", type: "quantitative" }, text: { field: "column", type: "nominal" } } },
    ],
  } as unknown as TopLevelSpec;
}
