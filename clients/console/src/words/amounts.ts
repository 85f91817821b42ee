// Amounts of any size as they read, with three or four digits that say something.
const FOUR = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const SIGNED = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, signDisplay: "exceptZero" });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const WHOLE_SIGNED = new Intl.NumberFormat("en", { maximumFractionDigits: 0, signDisplay: "exceptZero" });

export function short(value: number): string {
  return (Math.abs(value) >= 10_000 ? WHOLE : FOUR).format(value);
}

export function signed(value: number): string {
  return (Math.abs(value) >= 10_000 ? WHOLE_SIGNED : SIGNED).format(value);
}

export function percent(value: number): string {
  const parts = value * 100;
  return `${parts > 0 ? "+" : ""}${parts.toFixed(Math.abs(parts) < 10 ? 1 : 0)} %`;
}
