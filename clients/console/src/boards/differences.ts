// Two texts beside one another, line by line: what went, what came, what stayed.
export interface Part {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

const MOST = 600; // lines; longer texts are shown whole

export function differences(before: string, after: string): Part[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MOST || b.length > MOST) return [...a.map((text) => ({ kind: "gone" as const, text })), ...b.map((text) => ({ kind: "new" as const, text }))];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      parts.push({ kind: "gone", text: a[i++]! });
    } else {
      parts.push({ kind: "new", text: b[j++]! });
    }
  }
  return parts;
}
