// The distribution of a column's values: small enough for a row, and large with its numbers.
import type { ColumnLook } from "@gen/assay/common/v1/look_pb";

import { count, told } from "../words/numbers";
import { bound, isComputed, percent } from "./words";

const WIDTH = 132;
const HEIGHT = 30;

/** A small bar chart; its label says where most rows are. */
export function Sparkline({ column, rows }: { column: ColumnLook; rows: bigint }) {
  const { bins } = column;
  if (bins.length === 0) return null;
  const most = Math.max(1, ...bins.map((bin) => Number(bin.rows)));
  const step = WIDTH / Math.max(bins.length, 6);
  const gap = bins[0]!.to ? 0.5 : Math.min(3, step / 3);
  return (
    <svg class={`spark ${bins[0]!.to ? "" : "of-values"}`} width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary(column, rows)}>
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {bins.map((bin, at) => {
        const height = bin.rows === 0n ? 0 : Math.max(1.5, (Number(bin.rows) / most) * (HEIGHT - 3));
        return <rect x={at * step + gap / 2} y={HEIGHT - 1 - height} width={Math.max(0.5, step - gap)} height={height} />;
      })}
    </svg>
  );
}

/** The same with its numbers. */
export function Spread({ column, rows }: { column: ColumnLook; rows: bigint }) {
  const most = Math.max(1, ...column.bins.map((bin) => Number(bin.rows)));
  const shown = column.bins.reduce((sum, bin) => sum + bin.rows, 0n);
  const rest = rows - column.empty - shown;
  return (
    <table class="spread small">
      <caption class="out-of-sight">Distribution of {column.name}</caption>
      <thead class="out-of-sight"><tr><th scope="col">values</th><th scope="col">rows</th></tr></thead>
      <tbody>
        {column.bins.map((bin) => (
          <tr>
            <th scope="row"><span class="breaks">{named(column, bin.from, bin.to)}</span></th>
            <td>
              <span class="bar" aria-hidden="true" style={{ width: `${(Number(bin.rows) / most) * 55}%` }} />
              <span class="number">{told(bin.rows)} <span class="muted">{rows > 0n ? percent(Number(bin.rows) / Number(rows)) : ""}</span></span>
            </td>
          </tr>
        ))}
        {rest > 0n && !column.bins[0]?.to && <tr><th scope="row" class="muted">other values</th><td class="number muted">{told(rest)}</td></tr>}
        {column.empty > 0n && <tr><th scope="row" class="muted">no value</th><td class="number muted">{told(column.empty)} {percent(Number(column.empty) / Number(rows))}</td></tr>}
      </tbody>
    </table>
  );
}

function named(column: ColumnLook, from: string, to: string): string {
  if (isComputed(column) && Number(to) - Number(from) === 1 && column.samples.every((text) => Number.isInteger(Number(text)))) return bound(from, column.kind);
  return to ? `${bound(from, column.kind)} to ${bound(to, column.kind)}` : bound(from, column.kind) || "(empty text)";
}

function summary(column: ColumnLook, rows: bigint): string {
  const top = column.bins.reduce((best, bin) => (bin.rows > best.rows ? bin : best));
  const share = rows > 0n ? `${percent(Number(top.rows) / Number(rows))} of rows` : count(top.rows, "row");
  return `Distribution of ${column.name} over ${count(column.bins.length, top.to ? "range" : "value")}: the most common, ${share}, ${top.to ? "from " : "have "}${named(column, top.from, top.to)}`;
}
