// How the tables are joined: as a diagram, and as a table.
import type { TableLook } from "@gen/assay/common/v1/look_pb";
import { useLocation } from "preact-iso";
import { useMemo, useState } from "preact/hooks";

import { useLoaded } from "../mesh/loading";
import { Empty, InTrouble, Waiting } from "../parts/states";
import { count, told } from "../words/numbers";
import { type Joined, JoinsListed, toneOf } from "./joins_listed";
import type { Line, Placed } from "./layout";
import { percent } from "./words";

/** With more joins than that, one table and its neighbours are drawn. */
const MOST_DRAWN = 32;

/** A picture that is too wide is made smaller, down to this; then it scrolls. */
const LEAST_SCALE = 0.75;

type To = (table: string, column?: string) => string;

export function JoinsView({ tables, to }: { tables: readonly TableLook[]; to: To }) {
  const joins = useMemo(() => tables.flatMap((from) => from.joins.map((join) => ({ from, join }))), [tables]);
  const named = useMemo(() => busiest(joins), [joins]);
  const [about, setAbout] = useState("");
  if (joins.length === 0) return <Empty title="No joins between tables"><p>Add one in the semantic model.</p></Empty>;
  const centre = about || (named.length > MOST_DRAWN ? named[0]! : "");
  const drawn = centre ? joins.filter(({ from, join }) => from.name === centre || join.toTable === centre).slice(0, MOST_DRAWN) : joins;
  const alone = tables.length - named.length;
  return (
    <div class="stack">
      <div class="row apart">
        <p class="muted">{count(joins.length, "join")} between {count(named.length, "table")}{alone > 0 && `; ${count(alone, "table")} without joins`}.</p>
        {named.length > 6 && (
          <label class="row small">Around
            <select class="fits" value={centre} onChange={(event) => setAbout(event.currentTarget.value)}>
              {named.length <= MOST_DRAWN && <option value="">all tables</option>}
              {named.toSorted().map((name) => <option value={name}>{name}</option>)}
            </select></label>
        )}
      </div>
      <Drawn joins={drawn} tables={tables} to={to} />
      <p class="row small muted legend"><span class="line good" /> at least 99 % of values matched <span class="line warn" /> at least 95 % <span class="line bad" /> less <span class="line guessed" /> dashed: inferred from names and values</p>
      <JoinsListed joins={about ? drawn : joins} to={to} />
    </div>
  );
}

function Drawn({ joins, tables, to }: { joins: readonly Joined[]; tables: readonly TableLook[]; to: To }) {
  const layout = useLoaded<Placed>(async () => {
    const names = [...new Set(joins.flatMap(({ from, join }) => [from.name, join.toTable]))];
    const { placed } = await import("./layout");
    return placed(names, joins.map(({ from, join }) => [from.name, join.toTable] as const));
  }, [joins]);
  if (layout.trouble) return <InTrouble trouble={layout.trouble} again={layout.again} />;
  if (!layout.value) return <Waiting>Drawing…</Waiting>;
  const { width, height, boxes, lines } = layout.value;
  return (
    <div class="scroll drawn" tabIndex={0} role="region" aria-label="Diagram of the joins; the table below has the same information">
      <svg class="joins" width={width} height={height} style={{ minWidth: `${width * LEAST_SCALE}px` }} viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Joins">
        <defs><marker id="join-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" /></marker></defs>
        {lines.map((line) => joins[line.at] && <Edge line={line} joined={joins[line.at]!} />)}
        {boxes.map((box) => <Node key={box.name} box={box} table={tables.find((one) => one.name === box.name)} to={to} />)}
      </svg>
    </div>
  );
}

function Edge({ line, joined: { from, join } }: { line: Line; joined: Joined }) {
  const words = from.rows === 0n ? "no rows" : join.matched === undefined ? "" : percent(join.matched);
  const orphans = join.orphans ? `, ${count(join.orphans, "row")} unmatched` : "";
  return (
    <g class={`edge ${from.rows > 0n ? toneOf(join) : ""} ${join.declared ? "" : "guessed"}`}>
      <title>{`${from.name}.${join.column} → ${join.toTable}.${join.toColumn}${words && `: ${words} of its values matched`}${orphans}`}</title>
      <path d={curve(line.points)} marker-end="url(#join-end)" />
      {words && <><rect x={line.label.x - 28} y={line.label.y - 9} width="56" height="18" rx="9" /><text x={line.label.x} y={line.label.y + 4} text-anchor="middle">{words}</text></>}
    </g>
  );
}

function Node({ box, table, to }: { box: Placed["boxes"][number]; table: TableLook | undefined; to: To }) {
  const { route } = useLocation();
  const address = to(box.name);
  const shown = box.name.length > 20 ? `${box.name.slice(0, 19)}…` : box.name;
  return (
    <a class="node" href={address} aria-label={`${box.name}${table ? `, ${count(table.rows, "row")}` : ""}`}
      onClick={(event) => { if (!event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); route(address); } }}>
      <title>{box.name}</title>
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="8" />
      <text class="name" x={box.x + 12} y={box.y + 20}>{shown}</text>
      <text class="rows" x={box.x + 12} y={box.y + 36}>{table ? `${told(table.rows)} rows` : ""}</text>
    </a>
  );
}

/** Through the middles of what is between the points, so that nothing has corners. */
function curve(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = [`M${first.x} ${first.y}`];
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    parts.push(next ? `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}` : `L${point.x} ${point.y}`);
  });
  return parts.join(" ");
}

/** The tables that joins name, the one with most of them first. */
function busiest(joins: readonly Joined[]): string[] {
  const counts = new Map<string, number>();
  for (const { from, join } of joins) for (const name of [from.name, join.toTable]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
