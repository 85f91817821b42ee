// Numbers and times as people read them.
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const FINE = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** With separators, and no more digits than say something. */
export function told(value: number | bigint): string {
  if (typeof value === "bigint") return WHOLE.format(value);
  return Number.isInteger(value) || Math.abs(value) >= 100_000 ? WHOLE.format(value) : FINE.format(value);
}

/** With separators and exactly so many decimals. */
export function fixed(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function count(value: number | bigint, one: string, many = `${one}s`): string {
  return `${told(value)} ${Number(value) === 1 ? one : many}`;
}

export function seconds(time: Duration | undefined): string {
  if (!time) return "";
  const milliseconds = Number(time.seconds) * 1000 + time.nanos / 1e6;
  if (milliseconds >= 120_000) return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export function moment(time: Timestamp | undefined): string {
  return time ? MOMENT.format(new Date(Number(time.seconds) * 1000)) : "";
}

export function bytes(size: number | bigint): string {
  const units = ["bytes", "KB", "MB", "GB"];
  let value = Number(size);
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${FINE.format(Number(value.toPrecision(3)))} ${units[unit]}`;
}
