// Cells of Arrow tables with their exact values: no number is rounded on its way from the frame to what it is held against.
import { type Data, DataType, DateUnit, type Decimal, type Table, TimeUnit, type Timestamp } from "apache-arrow";

import { valid } from "./frame_layout";
import { Beyond } from "./fault";
import { floatText } from "./json";

export type Cell =
  | { readonly is: "null" }
  | { readonly is: "bool"; readonly value: boolean }
  | { readonly is: "int"; readonly value: bigint }
  | { readonly is: "float"; readonly value: number }
  | { readonly is: "decimal"; readonly digits: bigint; readonly scale: number }
  | { readonly is: "text"; readonly value: string }
  | { readonly is: "date"; readonly value: Moment }
  | { readonly is: "datetime"; readonly value: Moment };

/** A day and a time of it, in microseconds since the epoch. */
export interface Moment {
  readonly micros: bigint;
  readonly utc: boolean;
}

const NULL: Cell = { is: "null" };
const MICROS: Record<number, (value: bigint) => bigint> = {
  [TimeUnit.SECOND]: (value) => value * 1_000_000n,
  [TimeUnit.MILLISECOND]: (value) => value * 1000n,
  [TimeUnit.MICROSECOND]: (value) => value,
};

/** The cell of a column by its place; throws Beyond for types whose cells this page cannot spell. */
export function cellAt(table: Table, position: number, row: number): Cell {
  const column = table.getChildAt(position)!;
  let at = row;
  for (const data of column.data) {
    if (at < data.length) return cellOf(data, at);
    at -= data.length;
  }
  return NULL;
}

/** All cells of a column. */
export function columnCells(table: Table, position: number): Cell[] {
  return table.getChildAt(position)!.data.flatMap((data) => Array.from({ length: data.length }, (_, at) => cellOf(data, at)));
}

function cellOf(data: Data, at: number): Cell {
  const type = data.type as DataType;
  if (!valid(data, at) || DataType.isNull(type)) return NULL;
  if (DataType.isDictionary(type)) {
    const key = Number((data.values as ArrayLike<number | bigint>)[at]);
    let rest = key;
    for (const part of data.dictionary!.data) {
      if (rest < part.length) return cellOf(part, rest);
      rest -= part.length;
    }
    throw new Beyond("a column names a value that its dictionary does not have");
  }
  if (DataType.isBool(type)) return { is: "bool", value: ((data.values[at >> 3]! >> (at & 7)) & 1) === 1 };
  if (DataType.isInt(type)) return { is: "int", value: BigInt(data.values[at] as number | bigint) };
  if (DataType.isFloat(type) && type.precision > 0) return { is: "float", value: data.values[at] as number };
  if (DataType.isDecimal(type)) return { is: "decimal", digits: wide(data, type, at), scale: type.scale };
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    const [from, to] = [Number(data.valueOffsets[at]), Number(data.valueOffsets[at + 1])];
    return { is: "text", value: new TextDecoder("utf-8", { ignoreBOM: true }).decode(data.values.subarray(from, to)) };
  }
  if (DataType.isDate(type) && type.unit === DateUnit.DAY) {
    return { is: "date", value: { micros: BigInt(data.values[at] as number) * 86_400_000_000n, utc: false } };
  }
  if (DataType.isTimestamp(type)) return stamp(data, type, at);
  throw new Beyond(`cells of type ${type} are not spelled here`);
}

function stamp(data: Data, type: Timestamp, at: number): Cell {
  const micros = MICROS[type.unit];
  const zone = type.timezone ?? null;
  if (!micros || (zone !== null && zone !== "UTC")) throw new Beyond(`times of type ${type} are not spelled here`);
  return { is: "datetime", value: { micros: micros(BigInt(data.values[at] as bigint)), utc: zone !== null } };
}

function wide(data: Data, type: Decimal, at: number): bigint {
  const words = type.bitWidth / 32;
  const values = data.values as Uint32Array;
  let found = 0n;
  for (let word = words - 1; word >= 0; word--) found = (found << 32n) | BigInt(values[at * words + word]!);
  return BigInt.asIntN(type.bitWidth, found);
}

/** A cell as claims write it: exact, as decimal text or ISO date. */
export function cellText(cell: Cell): string {
  switch (cell.is) {
    case "null":
      return "none";
    case "bool":
    case "int":
      return String(cell.value);
    case "float":
      return floatText(cell.value);
    case "decimal":
      return decimalText(cell.digits, cell.scale);
    case "text":
      return cell.value;
    case "date":
      return isoDay(cell.value);
    case "datetime":
      return isoTime(cell.value, "T");
  }
}

/** A decimal as Python's Decimal writes it. */
export function decimalText(digits: bigint, scale: number): string {
  const [sign, plain] = digits < 0n ? ["-", String(-digits)] : ["", String(digits)];
  const power = plain.length - 1 - scale;
  if (scale >= 0 && power >= -6) {
    if (scale === 0) return sign + plain;
    const padded = plain.padStart(scale + 1, "0");
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const rest = plain.length > 1 ? `.${plain.slice(1)}` : "";
  return `${sign}${plain[0]}${rest}E${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

const DAY = 86_400_000_000n;

export function isoDay({ micros }: Moment): string {
  const days = (micros - (((micros % DAY) + DAY) % DAY)) / DAY;
  const text = new Date(Number(days) * 86_400_000).toISOString();
  if (!/^\d{4}-/.test(text)) throw new Beyond("a day is outside the years 0 to 9999");
  return text.slice(0, 10);
}

/** The time of day of a moment, in microseconds. */
export function timeOfDay({ micros }: Moment): bigint {
  return ((micros % DAY) + DAY) % DAY;
}

/** A moment as ISO 8601 has it; whole seconds alone where `short`. */
export function isoTime(moment: Moment, between: string, short = false): string {
  const time = timeOfDay(moment);
  const clock = new Date(Number(time / 1000n)).toISOString().slice(11, 19);
  const rest = time % 1_000_000n;
  const fine = rest === 0n || short ? "" : `.${String(rest).padStart(6, "0")}`;
  return `${isoDay(moment)}${between}${clock}${fine}${moment.utc ? "+00:00" : ""}`;
}
