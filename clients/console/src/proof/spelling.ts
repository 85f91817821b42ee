// How cells are printed, as mesh/text/spelling.py says: a number in a text is held against its cell letter by letter.
import { type Cell, decimalText, isoDay, isoTime, timeOfDay } from "./cells";

export const POINTS = "points";
const NOISE = 1e-12;
const RAISED: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

/** A value as people read it. `percent` writes a part of one in per cent, and with the unit POINTS in percentage points. */
export function shown(cell: Cell, unit = "", percent = false): string {
  switch (cell.is) {
    case "null":
      return "nothing";
    case "bool":
      return cell.value ? "yes" : "no";
    case "int":
      return percent ? float(Number(cell.value), unit, true) : withUnit(grouped(cell.value), unit);
    case "float":
      return float(cell.value, unit, percent);
    case "decimal":
      return decimal(cell.digits, cell.scale, unit, percent);
    case "text":
      return cell.value;
    case "date":
      return isoDay(cell.value);
    case "datetime":
      return timeOfDay(cell.value) < 1_000_000n ? isoDay(cell.value) : isoTime(cell.value, " ", true);
  }
}

function decimal(digits: bigint, scale: number, unit: string, percent: boolean): string {
  const one = 10n ** BigInt(Math.max(scale, 0));
  if (digits % one !== 0n) return float(Number(decimalText(digits, scale)), unit, percent);
  const value = scale < 0 ? digits * 10n ** BigInt(-scale) : digits / one;
  return shown({ is: "int", value }, unit, percent);
}

function float(value: number, unit: string, percent: boolean): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "not a number" : value > 0 ? "∞" : "−∞";
  if (percent) {
    const share = value * 100;
    const size = Math.abs(share);
    if (unit === POINTS) return `${fixed(share, size < 1 ? 2 : 1)} ${POINTS}`;
    return size >= 10 ? `${separated(fixed(share, 0))} %` : `${fixed(share, 1)} %`;
  }
  const [whole, size] = [rounded(value, 0), Math.abs(value)];
  if (Math.abs(value - Number(whole)) <= NOISE * size && size < 1e15) return withUnit(grouped(whole), unit);
  if (size >= 10_000) return withUnit(separated(fixed(value, 0)), unit);
  if (size >= 1) return withUnit(separated(fixed(value, 2)), unit);
  return withUnit(general(value, 3, true), unit);
}

function withUnit(text: string, unit: string): string {
  return `${text} ${unit}`.trimEnd();
}

function grouped(value: bigint): string {
  return separated(String(value));
}

function separated(digits: string): string {
  const [whole = "", ...rest] = digits.split(".");
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...rest].join(".");
}

/** So many decimals, of the exact value, ties to even: `toFixed` would round a tie up. */
export function fixed(value: number, decimals: number): string {
  const scaled = rounded(value, decimals);
  const minus = value < 0 || Object.is(value, -0) ? "-" : "";
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(decimals + 1, "0");
  return decimals === 0 ? minus + digits : `${minus}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A number that is not nought by its significant digits, without noughts at their end, and the power of the first. */
function significant(value: number, wanted: number): { digits: string; power: number } {
  const [size, least] = [Math.abs(value), 10n ** BigInt(wanted - 1)];
  let power = Math.floor(Math.log10(size));
  let digits = rounded(size, wanted - 1 - power);
  while (digits < least) digits = rounded(size, wanted - 1 - --power);
  if (digits >= least * 10n) [power, digits] = [power + 1, least];
  return { digits: String(digits).replace(/0+$/, ""), power };
}

/** So many significant digits; `raised` has a power of ten written as people do. */
export function general(value: number, wanted: number, raised: boolean): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const { digits, power } = significant(value, wanted);
  const minus = value < 0 ? "-" : "";
  if (power >= -4 && power < wanted) {
    if (power < 0) return `${minus}0.${"0".repeat(-power - 1)}${digits}`;
    const [whole, rest] = [digits.slice(0, power + 1).padEnd(power + 1, "0"), digits.slice(power + 1)];
    return minus + (rest ? `${whole}.${rest}` : whole);
  }
  const head = minus + (digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits);
  if (raised) return `${head}×10${Array.from(String(power), (letter) => RAISED[letter]).join("")}`;
  return `${head}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const BITS = new DataView(new ArrayBuffer(8));

/** The exact value times a power of ten as a whole number, ties to even. */
export function rounded(value: number, decimals: number): bigint {
  BITS.setFloat64(0, Math.abs(value));
  const bits = BITS.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  const top = mantissa * 10n ** BigInt(Math.max(decimals, 0)) * 2n ** BigInt(Math.max(shift, 0));
  const bottom = 10n ** BigInt(Math.max(-decimals, 0)) * 2n ** BigInt(Math.max(-shift, 0));
  const [whole, rest] = [top / bottom, (top % bottom) * 2n];
  const up = rest > bottom || (rest === bottom && (whole & 1n) === 1n);
  const size = whole + (up ? 1n : 0n);
  return value < 0 ? -size : size;
}
