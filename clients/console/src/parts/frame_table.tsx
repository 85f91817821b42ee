// A frame as a table whose rows are made while they are scrolled to: a million scroll like ten.
import type { DataType, Field, Table, Vector } from "apache-arrow";
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";

import { ColumnFormat } from "@gen/assay/common/v1/analysis_pb";
import { cell, decimalsOf, isNumber } from "../words/cells";
import { LongText } from "./long_text";

const ROW_PIXELS = 35;
const LOOKED_AT = 500;

interface Props {
  readonly table: Table;
  readonly formats: Readonly<Record<string, ColumnFormat>>;
  readonly chosen?: { readonly row: number; readonly column: string } | null;
  readonly name: string;
}

export function FrameTable({ table, formats, chosen = null, name }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((round: number) => round + 1, 0);
  const rows = useMemo(() => virtual(table.numRows, place, () => redraw(undefined)), [table]);
  useEffect(() => {
    const stop = rows._didMount();
    rows._willUpdate();
    redraw(undefined);
    return stop;
  }, [rows]);
  useEffect(() => {
    if (chosen) rows.scrollToIndex(chosen.row, { align: "center" });
  }, [chosen, rows]);
  const items = rows.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = useMemo(() => table.schema.fields.map((field, at) => columnOf(field, table.getChildAt(at) as Vector)), [table]);
  return (
    <div class="scroll" ref={place} tabIndex={0} role="region" aria-label={`${name}: table`}>
      <table class="table frame" aria-rowcount={table.numRows + 1}>
        <thead><tr>{columns.map(({ field }) => <th scope="col" class={side(field)}><span class="breaks">{field.name}</span></th>)}</tr></thead>
        <tbody>
          {above > 0 && <tr aria-hidden="true"><td colSpan={columns.length} style={{ height: `${above}px` }} /></tr>}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {columns.map(({ field, values, digits }) => {
                const words = cell(values.get(index), field.type as DataType, formats[field.name], digits);
                return <td class={`${side(field)} ${chosen?.row === index && chosen.column === field.name ? "chosen" : ""}`}>
                  <LongText text={words} of={`${field.name}, row ${index + 1}`} />
                </td>;
              })}
            </tr>
          ))}
          {below > 0 && <tr aria-hidden="true"><td colSpan={columns.length} style={{ height: `${below}px` }} /></tr>}
        </tbody>
      </table>
    </div>
  );
}

/** A column with how its numbers are shown, as its first rows need it. */
function columnOf(field: Field, values: Vector) {
  return { field, values, digits: decimalsOf(values.slice(0, LOOKED_AT), field.type as DataType) };
}

function side(field: Field): string {
  return isNumber(field.type as DataType) ? "right" : "";
}

function virtual(count: number, place: { current: HTMLDivElement | null }, changed: () => void) {
  return new Virtualizer<HTMLDivElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: changed,
  });
}
