// Joins as a table: the same information as the diagram.
import type { JoinLook, TableLook } from "@gen/assay/common/v1/look_pb";

import { Pages, usePaged } from "../parts/paged";
import { count, told } from "../words/numbers";
import { percent } from "./words";

export interface Joined {
  readonly from: TableLook;
  readonly join: JoinLook;
}

const PAGE = 25;
const SURE = 0.99;
const LIKELY = 0.95;

/** How well a join holds, as a tone. */
export function toneOf(join: JoinLook): "good" | "warn" | "bad" | "" {
  if (join.matched === undefined) return "";
  return join.matched >= SURE ? "good" : join.matched >= LIKELY ? "warn" : "bad";
}

export function JoinsListed({ joins, to }: { joins: readonly Joined[]; to: (table: string, column?: string) => string }) {
  const paged = usePaged(joins, PAGE, [joins.length]);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Joins">
        <table class="table joined">
          <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Values matched</th><th scope="col">Unmatched rows</th><th scope="col">Rows per match</th><th scope="col">Basis</th></tr></thead>
          <tbody>
            {paged.shown.map(({ from, join }) => (
              <tr>
                <td><a class="breaks" href={to(from.name, join.column)}>{from.name}</a> <span class="muted small breaks">{[join.column, ...join.further.map((one) => one.column)].join(", ")}</span></td>
                <td><a class="breaks" href={to(join.toTable, join.toColumn)}>{join.toTable}</a> <span class="muted small breaks">{[join.toColumn, ...join.further.map((one) => one.toColumn)].join(", ")}</span></td>
                <td>{from.rows === 0n ? <span class="muted">no rows</span> : join.matched === undefined ? <span class="muted">not profiled</span> : <span class={`chip ${toneOf(join)}`}>{percent(join.matched)}</span>}</td>
                <td class="number">{join.orphans === undefined ? <span class="muted">not profiled</span> : join.orphans === 0n ? <span class="muted">none</span> : count(join.orphans, "row")}</td>
                <td class="number">{join.most === undefined ? "" : Number(join.most) <= 1 ? "one" : `${told(Number((join.mean ?? 0).toPrecision(3)))}, at most ${told(join.most)}`}</td>
                <td class="muted">{join.declared ? "declared" : "inferred from names and values"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages paged={paged} of="joins" />
    </>
  );
}
