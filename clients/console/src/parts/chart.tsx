// An interactive chart, with a text description, and a picture to save.
import type { Table } from "apache-arrow";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TopLevelSpec } from "vega-lite";

import type { Picture } from "../charts/drawing";
import { canBeZoomed, chartOf, type Formats, type PlotArguments, smallOf } from "../charts/spec";
import { isThinned } from "../charts/thinning";
import { told } from "../words/numbers";
import { PictureTaken } from "./picture_taken";
import { theme } from "./theme";

interface Props {
  readonly table: Table;
  readonly asked: PlotArguments;
  readonly formats: Formats;
  readonly picked?: (values: Record<string, unknown>) => void;
  /** Low, without the title that stands above it already. */
  readonly small?: boolean;
}

export function Chart({ table, asked, formats, picked, small = false }: Props) {
  const spec = useMemo(() => {
    const whole = chartOf(table, asked, formats);
    return whole && small ? smallOf(whole) : whole;
  }, [table, asked, formats, small]);
  if (!spec) return null;
  const thinned = isThinned(table, asked.type);
  const note = `Of each stretch of the ${told(table.numRows)} points the least and the greatest are drawn. The table has all.`;
  const words = `${asked.title}: ${asked.y_label ?? asked.y_col ?? "rows"} by ${asked.x_label ?? asked.x_col}, ${table.numRows} points; the table has the same numbers.`;
  return <DrawnSpec spec={spec} words={words} small={small} {...(thinned ? { note } : {})} {...(picked ? { picked } : {})} />;
}

interface Drawn {
  readonly spec: TopLevelSpec;
  readonly words: string;
  /** Above the picture, where it wraps; a title within it would not. */
  readonly title?: string;
  readonly subtitle?: string;
  readonly picked?: (values: Record<string, unknown>) => void;
  readonly small?: boolean;
  /** What is left out of the picture. */
  readonly note?: string;
}

/** Any specification as a chart; it is drawn again when another object is given, or the theme turns. */
export function DrawnSpec({ spec, words, title, subtitle, picked = () => undefined, small = false, note }: Drawn) {
  const place = useRef<HTMLDivElement>(null);
  const [picture, setPicture] = useState<Picture | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    let made: Picture | null = null;
    let gone = false;
    const style = getComputedStyle(document.documentElement);
    const colours = { text: style.getPropertyValue("--text").trim(), line: style.getPropertyValue("--line").trim() };
    void import("../charts/drawing")
      .then(({ draw }) => draw(spec, place.current!, colours, picked))
      .then((drawn) => {
        if (gone) return drawn.close();
        made = drawn;
        setPicture(drawn);
      })
      .catch(() => setFailed(true));
    return () => {
      gone = true;
      made?.close();
      setPicture(null);
      place.current?.replaceChildren();
    };
  }, [spec, theme.value]);
  return (
    <figure class={small ? "chart" : "card chart"}>
      {title && <div class="stack tight"><h3 class="breaks">{title}</h3>{subtitle && <p class="muted small">{subtitle}</p>}</div>}
      {failed ? <p class="note">The chart could not be drawn. The table has the same numbers.</p>
        : <div role="img" aria-label={words}><div ref={place} style={{ position: "relative" }} /></div>}
      {note && <p class="muted small">{note}</p>}
      {!small && !failed && canBeZoomed(spec) && (
        <p class="muted small not-printed">Zoom with Ctrl and the wheel or by pinching, drag to pan, double-click to reset.</p>
      )}
      {!small && picture && <PictureTaken picture={picture} />}
    </figure>
  );
}
