// Vega, loaded when the first chart is drawn. Expressions are interpreted: the page's policy lets nothing be compiled.
import { parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type Config, type TopLevelSpec } from "vega-lite";

export interface Picture {
  readonly svg: () => Promise<string>;
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
  const view = new View(parse(vega, undefined, { ast: true }), {
    container: into,
    renderer: "canvas",
    hover: true,
    expr: expressionInterpreter,
  } as never);
  view.tooltip(beside(into));
  view.addEventListener("click", (_, item) => {
    const datum = item?.datum as Record<string, unknown> | undefined;
    if (datum) picked(datum);
  });
  await view.runAsync();
  const resized = new ResizeObserver(() => void view.resize().runAsync());
  resized.observe(into);
  return {
    svg: () => view.toSVG(),
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

/** Words beside the pointer, as text: names and values of data are never markup. */
function beside(into: HTMLElement): (handler: unknown, event: MouseEvent, item: unknown, value: unknown) => void {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  into.append(tip);
  return (_, event, __, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const lines = typeof value === "object" ? Object.entries(value as object).map(([key, text]) => `${key}: ${text}`) : [value];
    tip.textContent = lines.join("\n");
    const box = into.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - 180)}px`;
    tip.style.top = `${event.clientY - box.top + 14}px`;
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
