// What rows are called by their cells, in every way in which answers write them (mesh/text/spelling.py).
import { type Cell, cellText, isoDay, type Moment, timeOfDay } from "./cells";
import { general, shown } from "./spelling";

const LONGEST_LABEL = 60;
const GRAINS = ["", "year", "quarter", "month", "week", "day", "month_of_year", "hour"] as const;
const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

type Grain = (typeof GRAINS)[number];

/** Every way in which an answer may write the value, also at the head of a sentence. */
export function spellings(cell: Cell): Set<string> {
  const found = new Set<string>();
  if (cell.is === "text" && /^\d{4}-\d\d-\d\d$/.test(cell.value)) {
    const time = new Date(`${cell.value}T00:00:00Z`);
    if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(cell.value)) {
      const day: Cell = { is: "date", value: { micros: BigInt(time.getTime()) * 1000n, utc: false } };
      return spellings(day).add(cell.value);
    }
  }
  for (const grain of GRAINS) {
    for (const short of [false, true]) {
      const text = labelText(cell, grain, short);
      const [first = "", ...rest] = Array.from(text);
      found.add(text).add(first.toUpperCase() + rest.join(""));
    }
  }
  return found;
}

function labelText(cell: Cell, grain: Grain, short: boolean): string {
  switch (cell.is) {
    case "null":
      return "(missing)";
    case "text":
      return cell.value === "" ? "(missing)" : shortened(cell.value);
    case "date":
    case "datetime":
      return moment(cell.value, cell.is === "datetime", grain, short);
    case "bool":
      return shown(cell);
    case "int":
    case "float":
      return ordinal(cell.value, grain);
    case "decimal":
      return shortened(cellText(cell));
  }
}

/** One line of at most so many characters. */
export function shortened(text: string, longest = LONGEST_LABEL): string {
  const line = Array.from(Array.from(text).slice(0, 4 * longest).join("").replace(/\s+/gu, " ").trim());
  return line.length <= longest ? line.join("") : `${line.slice(0, longest - 1).join("").trimEnd()}…`;
}

function moment(value: Moment, clocked: boolean, grain: Grain, short: boolean): string {
  const [year, month, date] = isoDay(value).split("-").map(Number) as [number, number, number];
  if (grain === "year") return String(year);
  if (grain === "quarter") return short ? `Q${Math.ceil(month / 3)}` : `Q${Math.ceil(month / 3)} ${year}`;
  const name = MONTHS[month - 1]!;
  if (grain === "month") return short ? name : `${name} ${year}`;
  const day = `${date} ${name} ${year}`;
  if (grain === "week") return `the week of ${day}`;
  const minutes = clocked ? Number(timeOfDay(value) / 60_000_000n) : 0;
  if (minutes === 0 || grain === "day") return day;
  return `${day}, ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function ordinal(value: bigint | number, grain: Grain): string {
  const whole = typeof value === "bigint" || Number.isInteger(value);
  if (grain === "month_of_year" && whole && value >= 1 && value <= 12) return MONTHS[Number(value) - 1]!;
  if (grain === "hour" && whole) return `${String(BigInt(value)).padStart(2, "0")}:00`;
  if (typeof value === "bigint") return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  return whole && Math.abs(value) < 1e15 ? String(BigInt(value)) : general(value, 6, false);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
