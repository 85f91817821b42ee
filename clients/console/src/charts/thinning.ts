// Which rows of a large frame are drawn: more points than a screen has would stop the page for seconds.
import type { DataType, Table } from "apache-arrow";

import { plain } from "../words/cells";

const MOST_POINTS = 4000;
/** As many as the pictures have: the same note on the others is true of both. */
export const MOST_BARS = 30;
const OF_POINTS = ["line", "multi_line", "area", "scatter"];

/** Whether each row is a point: as few as can be drawn then stand for all of them. */
export function isThinned(table: Table, type: string): boolean {
  return table.numRows > MOST_POINTS && OF_POINTS.includes(type);
}

/** The rows to draw of more than can be: of bars the largest, of points the least and the greatest of each stretch, so
 * that no peak is lost. Undefined for all. */
export function rowsDrawn(table: Table, type: string, amount: string): readonly number[] | undefined {
  const values = table.getChild(amount);
  if (table.numRows <= MOST_POINTS || !values) return undefined;
  const kind = table.schema.fields.find((field) => field.name === amount)!.type as DataType;
  const amounts = Float64Array.from({ length: table.numRows }, (_, at) => Number(plain(values.get(at), kind) ?? NaN));
  if (OF_POINTS.includes(type)) return ends(amounts);
  return ["bar", "pie"].includes(type) ? largest(amounts) : undefined;
}

function ends(amounts: Float64Array): number[] {
  const stretch = Math.ceil(amounts.length / (MOST_POINTS / 2));
  const kept = new Set<number>();
  for (let from = 0; from < amounts.length; from += stretch) {
    let [least, greatest] = [from, from];
    for (let at = from; at < Math.min(from + stretch, amounts.length); at++) {
      if (!(amounts[at]! >= amounts[least]!)) least = at;
      if (!(amounts[at]! <= amounts[greatest]!)) greatest = at;
    }
    kept.add(least).add(greatest);
  }
  return [...kept].sort((a, b) => a - b);
}

function largest(amounts: Float64Array): number[] {
  const size = (at: number) => Math.abs(amounts[at]!) || 0;
  const places = Array.from(amounts.keys()).sort((a, b) => size(b) - size(a)).slice(0, MOST_BARS);
  return places.sort((a, b) => a - b);
}
