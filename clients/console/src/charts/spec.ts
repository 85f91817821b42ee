// A chart's specification for Vega-Lite, from the arguments of plot.render: the same decision as the picture's.
import type { DataType, Table } from "apache-arrow";
import type { TopLevelSpec } from "vega-lite";
import { ColumnFormat } from "@gen/assay/common/v1/analysis_pb";

import { isNumber, isTime, plain } from "../words/cells";
import { MOST_BARS, rowsDrawn } from "./thinning";

/** What plot.render is asked for; services/executor/plotting/arguments.py says what each is. */
export interface PlotArguments {
  readonly type: string;
  readonly x_col: string;
  readonly y_col?: string | null;
  readonly series_col?: string | null;
  readonly split_col?: string | null;
  readonly x_end_col?: string | null;
  readonly title: string;
  readonly subtitle?: string | null;
  readonly x_label?: string | null;
  readonly y_label?: string | null;
  readonly series_label?: string | null;
  readonly unit?: string | null;
  readonly fraction?: boolean;
  readonly sort?: string | null;
  readonly scale?: string | null;
}

export type Formats = Readonly<Record<string, ColumnFormat>>;

/** Okabe and Ito's hues (2008), as in the pictures: told apart by colour-blind people and in grey. */
export const PALETTE = ["#0072B2", "#E69F00", "#007A5A", "#56B4E9", "#B8420F", "#E3A6C8", "#3B3B3B", "#C9B458"];
const MOST_SERIES = 8;
/** Characters of a text that are drawn; what is longer is drawn by its beginning, and is longer than this all the same. */
export const LONGEST_LABEL = 100;


type Row = Record<string, number | string | boolean | null>;

/** Null where the frame is no chart: one number has nothing to be compared with. */
export function chartOf(table: Table, asked: PlotArguments, formats: Formats): TopLevelSpec | null {
  const names = table.schema.fields.map((field) => field.name);
  const series = asked.series_col ?? asked.split_col ?? null;
  const wanted = [asked.x_col, asked.y_col, series, asked.x_end_col].filter((name): name is string => !!name);
  if (table.numRows < 2 || wanted.some((name) => !names.includes(name))) return null;
  const rows = readRows(table, wanted, rowsDrawn(table, series && asked.type === "bar" ? "grouped_bar" : asked.type, asked.y_col ?? ""));
  const draw = { table, asked, formats, rows, series };
  const layers = (MARKS[asked.type] ?? bars)(draw);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: { text: asked.title, subtitle: asked.subtitle ?? "", anchor: "start", offset: 14 },
    width: "container",
    height: asked.type === "heatmap" || horizontal(draw) ? { step: 24 } : 300,
    data: { values: shown(draw) },
    autosize: { type: "fit-x", contains: "padding" },
    ...layers,
  } as TopLevelSpec;
}

/** A small chart among others, without the title shown around it. */
export function smallOf(spec: TopLevelSpec): TopLevelSpec {
  const { title: _, ...rest } = spec as TopLevelSpec & { title?: unknown; height?: unknown };
  if (typeof rest.height === "number") return { ...rest, height: 170 } as TopLevelSpec;
  return { ...rest, height: { step: 22 }, autosize: { type: "fit-x", contains: "padding" } } as TopLevelSpec;
}

interface Drawn {
  readonly table: Table;
  readonly asked: PlotArguments;
  readonly formats: Formats;
  readonly rows: Row[];
  readonly series: string | null;
}

const MARKS: Readonly<Record<string, (draw: Drawn) => object>> = {
  bar: bars,
  grouped_bar: (draw) => bars(draw, "grouped"),
  stacked_bar: (draw) => bars(draw, "stacked"),
  pie: bars, // as the pictures do: lengths are compared more truly than angles
  waterfall: bars,
  line: lines,
  multi_line: lines,
  area: (draw) => lines(draw, "area"),
  scatter: points,
  histogram: histogram,
  box: (draw) => ({ mark: { type: "boxplot", color: PALETTE[0] }, encoding: { x: across(draw), y: measure(draw) } }),
  heatmap: heat,
};

function bars(draw: Drawn, how: "plain" | "grouped" | "stacked" = "plain"): object {
  const lying = horizontal(draw);
  const category = { ...across(draw), axis: { ...across(draw).axis, labelLimit: 220, ...(lying ? { title: null } : {}) } }; // it would stand on the names
  const value = { ...measure(draw), stack: how === "stacked" ? "zero" : null };
  const grouped = how === "grouped" && draw.series ? { [lying ? "yOffset" : "xOffset"]: { field: name(draw.series) } } : {};
  const colour = draw.series ? coloured(draw) : {};
  return {
    mark: { type: "bar", color: PALETTE[0], cornerRadiusEnd: 2 },
    encoding: { ...(lying ? { y: category, x: value } : { x: category, y: value }), ...grouped, ...colour, ...told(draw) },
  };
}

/** The wheel alone scrolls the page; pinching arrives as a wheel with Ctrl. */
const ZOOMED_BY = "wheel![event.ctrlKey || event.metaKey]";

/** Whether a specification can be zoomed and moved. */
export function canBeZoomed(spec: TopLevelSpec): boolean {
  return "params" in spec && (spec.params ?? []).some((one) => "bind" in one && one.bind === "scales");
}

/** What can be zoomed is cut at its frame: the outermost points have room to be whole. */
function roomy(channel: Record<string, unknown>): Record<string, unknown> {
  const continuous = channel["type"] === "temporal" || channel["type"] === "quantitative";
  return continuous ? { ...channel, scale: { ...(channel["scale"] as object | undefined), padding: 8 } } : channel;
}

function lines(draw: Drawn, type: "line" | "area" = "line"): object {
  const point = draw.rows.length <= 60;
  const mark = type === "area" ? { type, opacity: 0.75, line: true } : { type, point: point ? { size: 34 } : false };
  return {
    params: [{ name: "grid", select: { type: "interval", encodings: ["x"], zoom: ZOOMED_BY }, bind: "scales" }],
    mark: { ...mark, color: PALETTE[0], strokeWidth: 2 },
    encoding: { x: roomy(across(draw)), y: measure(draw, type === "area"), ...(draw.series ? coloured(draw) : {}), ...told(draw) },
  };
}

function points(draw: Drawn): object {
  return {
    params: [{ name: "grid", select: { type: "interval", zoom: ZOOMED_BY }, bind: "scales" }],
    mark: { type: "point", filled: true, opacity: 0.6, size: 36, color: PALETTE[0] },
    encoding: { x: roomy(across(draw)), y: roomy(measure(draw, false)), ...(draw.series ? coloured(draw) : {}), ...told(draw) },
  };
}

function histogram(draw: Drawn): object {
  const x = draw.asked.x_end_col ? { ...across(draw), bin: "binned" } : { ...across(draw), bin: { maxbins: 30 } };
  const x2 = draw.asked.x_end_col ? { x2: { field: name(draw.asked.x_end_col) } } : {};
  const y = draw.asked.y_col ? measure(draw) : { aggregate: "count", title: "rows" };
  return { mark: { type: "bar", color: PALETTE[0] }, encoding: { x, ...x2, y, ...told(draw) } };
}

function heat(draw: Drawn): object {
  const y = { field: name(draw.series ?? draw.asked.x_col), type: "nominal", title: draw.asked.series_label ?? draw.series };
  const color = { field: name(draw.asked.y_col ?? ""), type: "quantitative", scale: { scheme: "cividis" }, title: label(draw) };
  return { mark: "rect", encoding: { x: across(draw), y, color, ...told(draw) } };
}

function across(draw: Drawn): { axis: object } & Record<string, unknown> {
  const { asked } = draw;
  const type = kind(draw.table, asked.x_col);
  const time = type === "temporal";
  const format = timeFormat(draw.formats[asked.x_col]);
  const title = asked.x_label ?? asked.x_col;
  const sort = time || type === "quantitative" ? undefined : sorting(asked.sort);
  return {
    field: name(asked.x_col),
    type,
    title,
    ...(sort === undefined ? {} : { sort }),
    ...(time ? { scale: { type: "utc" } } : {}),
    axis: { ...(time || fewShort(draw) ? { labelAngle: 0 } : {}), labelOverlap: true, labelSeparation: 6, ...(format ? { format } : {}) },
  };
}

function measure(draw: Drawn, zero = true): Record<string, unknown> {
  const { asked } = draw;
  const percent = asked.fraction || draw.formats[asked.y_col ?? ""] === ColumnFormat.PERCENT;
  return {
    field: name(asked.y_col ?? ""),
    type: "quantitative",
    title: label(draw),
    axis: { format: percent ? ".0%" : great(draw) ? "~s" : ",~r", grid: true },
    scale: { zero, ...(asked.scale === "log" ? { type: "log", zero: false } : {}) },
  };
}

function great({ rows, asked }: Drawn): boolean {
  return rows.some((row) => Math.abs(Number(row[asked.y_col ?? ""])) >= 100_000);
}

function coloured(draw: Drawn): Record<string, unknown> {
  const title = draw.asked.series_label ?? draw.series;
  return { color: { field: name(draw.series!), type: "nominal", title, scale: { range: PALETTE }, legend: { labelLimit: 180 } } };
}

/** What stands beside the pointer. */
function told(draw: Drawn): Record<string, unknown> {
  const { asked } = draw;
  const format = timeFormat(draw.formats[asked.x_col]);
  const x = kind(draw.table, asked.x_col) === "temporal"
    ? { field: name(asked.x_col), type: "temporal", title: asked.x_label ?? asked.x_col, format: format ?? "%Y-%m-%d" }
    : { field: name(asked.x_col), title: asked.x_label ?? asked.x_col };
  const y = asked.y_col ? [{ field: name(asked.y_col), title: label(draw), format: asked.fraction ? ".1%" : ",.6~g" }] : [];
  const series = draw.series ? [{ field: name(draw.series), title: asked.series_label ?? draw.series }] : [];
  return { tooltip: [x, ...series, ...y] };
}

function label({ asked }: Drawn): string {
  const words = asked.y_label ?? asked.y_col ?? "rows";
  return asked.unit && asked.unit !== "%" ? `${words} (${asked.unit})` : words;
}

/** Whether names fit beside one another. */
function fewShort({ rows, asked }: Drawn): boolean {
  const names = new Set(rows.map((row) => String(row[asked.x_col] ?? "")));
  return names.size <= 8 && [...names].every((one) => one.length <= 12);
}

function horizontal({ asked, table, rows, series }: Drawn): boolean {
  if (!["bar", "pie", "grouped_bar", "stacked_bar"].includes(asked.type) || kind(table, asked.x_col) !== "nominal") return false;
  const longest = Math.max(...rows.map((row) => String(row[asked.x_col] ?? "").length));
  return (!series && rows.length > 6) || longest > 12;
}

/** The rows that are drawn: at most so many bars and series, as in the pictures. */
function shown(draw: Drawn): Row[] {
  const kept = draw.series ? firstOf(draw.rows, draw.series, MOST_SERIES) : draw.rows;
  const bar = ["bar", "pie"].includes(draw.asked.type) && kind(draw.table, draw.asked.x_col) === "nominal";
  return bar && !draw.series ? largestOf(kept, draw.asked.y_col ?? "", MOST_BARS) : kept;
}

/** The rows with the largest amounts, in the order that they had. */
function largestOf(rows: Row[], column: string, most: number): Row[] {
  if (rows.length <= most) return rows;
  const size = (row: Row) => Math.abs(Number(row[column] ?? 0));
  const kept = new Set([...rows].sort((a, b) => size(b) - size(a)).slice(0, most));
  return rows.filter((row) => kept.has(row));
}

function firstOf(rows: Row[], column: string, most: number): Row[] {
  const seen = new Set<unknown>();
  for (const row of rows) {
    if (seen.size === most) break;
    seen.add(row[column]);
  }
  return rows.filter((row) => seen.has(row[column]));
}

function readRows(table: Table, names: readonly string[], places?: readonly number[]): Row[] {
  const columns = names.map((column) => ({
    column,
    type: table.schema.fields.find((field) => field.name === column)!.type as DataType,
    values: table.getChild(column)!,
  }));
  const short = shortening();
  return Array.from(places ?? { length: table.numRows }, (place, at) => place ?? at).map((at) =>
    Object.fromEntries(columns.map(({ column, type, values }) => [column, short(plain(values.get(at), type))])),
  );
}

/** Texts short enough to be measured and drawn; different ones stay different. */
function shortening(): (value: Row[string]) => Row[string] {
  const known = new Map<string, string>();
  return (value) => {
    if (typeof value !== "string" || value.length <= LONGEST_LABEL) return value;
    const short = known.get(value) ?? `${value.slice(0, LONGEST_LABEL)}… (${known.size + 1})`;
    known.set(value, short);
    return short;
  };
}

function kind(table: Table, column: string): "temporal" | "quantitative" | "nominal" {
  const type = table.schema.fields.find((field) => field.name === column)!.type as DataType;
  return isTime(type) ? "temporal" : isNumber(type) ? "quantitative" : "nominal";
}

function sorting(sort: string | null | undefined): unknown {
  if (sort === "x" || sort === "-x") return sort === "x" ? "ascending" : "descending";
  return null; // the frame's own order, which the plan decided
}

function timeFormat(format: ColumnFormat | undefined): string | undefined {
  switch (format) {
    case ColumnFormat.YEAR:
      return "%Y";
    case ColumnFormat.QUARTER:
      return "%Y Q%q";
    case ColumnFormat.MONTH:
      return "%b %Y";
    case ColumnFormat.MONTH_OF_YEAR:
      return "%B";
    case ColumnFormat.WEEKDAY:
      return "%A";
    default:
      return undefined;
  }
}

/** A field's name as Vega-Lite takes it: dots and brackets would lead into objects. */
function name(column: string): string {
  return column.replace(/[\\.[\]]/g, (letter) => `\\${letter}`);
}
