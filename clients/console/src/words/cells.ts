// Cells of Arrow tables as they read.
import { DataType, type Decimal, util } from "apache-arrow";
import { ColumnFormat } from "@gen/assay/common/v1/analysis_pb";

import { fixed, told } from "./numbers";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}

export function isTime(type: DataType): boolean {
  return DataType.isDate(type) || DataType.isTimestamp(type);
}

/** A cell's value for computing and drawing: numbers, dates as milliseconds, texts. */
export function plain(value: unknown, type: DataType): number | string | boolean | null {
  if (value === null || value === undefined) return null;
  if (DataType.isDecimal(type)) return Number(decimal(value, type));
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.getTime();
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

/** How many decimals a column of numbers is shown with, the same in each row; undefined for whole ones. */
export function decimalsOf(values: Iterable<unknown>, type: DataType): number | undefined {
  if (!isNumber(type) || DataType.isInt(type)) return undefined;
  let [most, largest] = [0, 0];
  for (const value of values) {
    const found = Number(plain(value, type) ?? 0);
    largest = Math.max(largest, Math.abs(found));
    most = Math.max(most, (String(found).split(".")[1] ?? "").length);
  }
  return most === 0 || largest < 1 ? undefined : Math.min(most, largest >= 1000 ? 2 : 4);
}

/** A cell as people read it, a number with so many decimals where that is said. */
export function cell(value: unknown, type: DataType, format: ColumnFormat | undefined, digits?: number): string {
  const found = plain(value, type);
  if (found === null) return "—";
  if (isTime(type) && typeof found === "number") return timed(new Date(found), type, format);
  if (format === ColumnFormat.PERCENT && typeof found === "number") return `${(found * 100).toFixed(1)} %`;
  if (format === ColumnFormat.YEAR) return String(found);
  if (digits !== undefined && typeof found === "number") return fixed(found, digits);
  if (DataType.isDecimal(type)) return told(Number(found));
  return typeof found === "number" ? told(typeof value === "bigint" ? value : found) : String(found);
}

function timed(time: Date, type: DataType, format: ColumnFormat | undefined): string {
  const iso = time.toISOString();
  const [year, month] = [iso.slice(0, 4), iso.slice(5, 7)];
  switch (format) {
    case ColumnFormat.YEAR:
      return year;
    case ColumnFormat.QUARTER:
      return `${year} Q${Math.ceil(Number(month) / 3)}`;
    case ColumnFormat.MONTH:
      return `${year}-${month}`;
    case ColumnFormat.WEEKDAY:
      return WEEKDAYS[time.getUTCDay()]!;
    case ColumnFormat.MONTH_OF_YEAR:
      return new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" }).format(time);
    case ColumnFormat.HOUR:
      return `${time.getUTCHours()}:00`;
    default:
      return DataType.isDate(type) || iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
  }
}

function decimal(value: unknown, type: Decimal): string {
  const digits = util.bigNumToString(util.BN.new(value as never) as never);
  if (type.scale === 0) return digits;
  const [sign, rest] = digits.startsWith("-") ? ["-", digits.slice(1)] : ["", digits];
  const padded = rest.padStart(type.scale + 1, "0");
  return `${sign}${padded.slice(0, -type.scale)}.${padded.slice(-type.scale)}`;
}
