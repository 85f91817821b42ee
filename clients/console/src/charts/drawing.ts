// Vega, loaded when the first chart is drawn. Expressions are interpreted: the page's policy lets nothing be compiled.
import { parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type Config, type TopLevelSpec } from "vega-lite";

export interface Picture {
  readonly svg: () => Promise<string>;
  /** A picture in points, on the ground that is given: it is read elsewhere than on this page. */
  readonly png: (ground: string) => Promise<Blob>;
  readonly close: () => void;
}

/** Draw a chart in an element; `picked` is told the values of what is clicked. */
export async function draw(
  spec: TopLevelSpec,
  into: HTMLElement,
  colours: { readonly text: string; readonly line: string },
  picked: (values: Record<string, unknown>) => void,
): Promise<Picture> {
  const { spec: vega } = compile(spec, { config: config(colours) });
  const tip = document.createElement("div");
  const view = new View(parse(vega, undefined, { ast: true }), {
    container: into,
    renderer: "canvas",
    hover: true,
    expr: expressionInterpreter,
    tooltip: beside(into, tip),
  } as never);
  into.append(tip); // after the view, which empties what it is drawn in
  let pressed = { x: 0, y: 0 };
  view.addEventListener("pointerdown", (event) => (pressed = placeOf(event)));
  view.addEventListener("click", (event, item) => {
    const { x, y } = placeOf(event);
    const datum = item?.datum as Record<string, unknown> | undefined;
    if (datum && Math.hypot(x - pressed.x, y - pressed.y) < MOVED_PIXELS) picked(datum);
  });
  await view.runAsync();
  const resized = new ResizeObserver(() => void view.resize().runAsync());
  resized.observe(into);
  return {
    svg: () => view.toSVG(),
    png: async (ground) => bitmapOf(await view.toCanvas(PICTURE_SCALE), ground),
    close: () => {
      resized.disconnect();
      view.finalize();
    },
  };
}

/** A chart as a picture, without a page to draw it on. */
export async function svgOf(spec: TopLevelSpec, width: number, colours: { readonly text: string; readonly line: string }): Promise<string> {
  const { spec: vega } = compile({ ...spec, width } as TopLevelSpec, { config: config(colours) });
  const view = new View(parse(vega, undefined, { ast: true }), { renderer: "none", expr: expressionInterpreter } as never);
  const picture = await view.runAsync().then(() => view.toSVG());
  view.finalize();
  return picture;
}

/** So many points of a picture for one of the page: it stays sharp in a document. */
const PICTURE_SCALE = 2;

async function bitmapOf(drawn: HTMLCanvasElement, ground: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  const painter = canvas.getContext("2d")!;
  painter.fillStyle = ground;
  painter.fillRect(0, 0, canvas.width, canvas.height);
  painter.drawImage(drawn, 0, 0);
  return new Promise((made, failed) =>
    canvas.toBlob((blob) => (blob ? made(blob) : failed(new Error("the picture is too large for this browser"))), "image/png"));
}

/** Whoever moves the pointer so far has moved the chart, and picked nothing. */
const MOVED_PIXELS = 5;

function placeOf(event: unknown): { readonly x: number; readonly y: number } {
  return event instanceof MouseEvent ? { x: event.clientX, y: event.clientY } : { x: 0, y: 0 };
}

/** Words beside the pointer, as text: names and values of data are never markup. */
function beside(into: HTMLElement, tip: HTMLElement): (handler: unknown, event: MouseEvent, item: unknown, value: unknown) => void {
  tip.className = "tip";
  tip.hidden = true;
  return (_, event, __, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const lines = typeof value === "object" ? Object.entries(value as object).map(([key, text]) => `${key}: ${text}`) : [value];
    tip.textContent = lines.join("\n");
    const box = into.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 14, box.width - width))}px`;
    tip.style.top = `${Math.max(0, Math.min(event.clientY - box.top + 14, box.height - height))}px`;
  };
}

function config({ text, line }: { text: string; line: string }): Config {
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
  return {
    background: "transparent",
    font,
    view: { stroke: null },
    axis: { labelColor: text, titleColor: text, domainColor: line, gridColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, gridOpacity: 0.6 },
    legend: { labelColor: text, titleColor: text, labelFontSize: 12 },
    text: { color: text, fontSize: 12 },
    rule: { color: text },
    title: { color: text, subtitleColor: text, fontSize: 15, fontWeight: 600 },
  };
}
