// Cells as numbers that are compared: exactly where they are exact, as floating point where one is.
import { type Cell, decimalText } from "./cells";

const ROUNDING = 1e-12;
const CLOSE = 1e-6;

export interface Num {
  readonly near: number;
  /** Null for floating point. */
  readonly exact: { readonly digits: bigint; readonly scale: number } | null;
}

/** The number in a cell; null where there is none that others can be compared with. */
export function numberIn(cell: Cell): Num | null {
  if (cell.is === "int") return { near: Number(cell.value), exact: { digits: cell.value, scale: 0 } };
  if (cell.is === "decimal") return { near: Number(decimalText(cell.digits, cell.scale)), exact: cell };
  return cell.is === "float" && Number.isFinite(cell.value) ? { near: cell.value, exact: null } : null;
}

export function compare(one: Num, other: Num): number {
  if (one.exact === null || other.exact === null) return Math.sign(one.near - other.near);
  const scale = Math.max(one.exact.scale, other.exact.scale, 0);
  const [a, b] = [one.exact, other.exact].map(({ digits, scale: own }) => digits * 10n ** BigInt(scale - own)) as [bigint, bigint];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether two numbers are one, told apart at most by how floats were added up. */
export function sameNumber(one: Num, other: Num): boolean {
  if (one.exact !== null && other.exact !== null) return compare(one, other) === 0;
  return within(one.near, other.near, ROUNDING, 0);
}

/** Whether two numbers are one as far as words tell them. */
export function close(one: number, other: number): boolean {
  return within(one, other, CLOSE, CLOSE);
}

function within(one: number, other: number, relative: number, absolute: number): boolean {
  return one === other || Math.abs(one - other) <= Math.max(relative * Math.max(Math.abs(one), Math.abs(other)), absolute);
}
