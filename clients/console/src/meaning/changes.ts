// What a person added to a model beyond what was read from the data: only that is proposed.
import { type Plain, plainOf, treeOf } from "./tree";
import { block } from "./writing";

/** The part of `after` that `before` does not say, as YAML; empty where there is none. */
export function addedTo(before: string, after: string): string {
  const [old, now] = [plainOf(treeOf(before).root), plainOf(treeOf(after).root)];
  const found = now instanceof Map ? added(old, now) : null;
  return found && found.size > 0 ? block(found, 0, 0) : "";
}

function added(old: Plain, now: ReadonlyMap<string, Plain>): ReadonlyMap<string, Plain> {
  const known = old instanceof Map ? (old as ReadonlyMap<string, Plain>) : new Map<string, Plain>();
  const found = new Map<string, Plain>();
  for (const [key, value] of now) {
    const before = known.get(key);
    if (value instanceof Map) {
      const within = key === "on" || isMetric(value as ReadonlyMap<string, Plain>) ? whole(before, value) : added(before ?? "", value as ReadonlyMap<string, Plain>);
      if (within.size > 0) found.set(key, within);
    } else if (value !== "" && !alike(before, value)) {
      found.set(key, value);
    }
  }
  return found;
}

/** A metric is proposed whole: its formula cannot be left out. */
function isMetric(value: ReadonlyMap<string, Plain>): boolean {
  return value.has("formula");
}

function whole(before: Plain | undefined, value: Plain): ReadonlyMap<string, Plain> {
  return alike(before, value) ? new Map() : (value as ReadonlyMap<string, Plain>);
}

function alike(one: Plain | undefined, other: Plain): boolean {
  return JSON.stringify(one, listed) === JSON.stringify(other, listed);
}

function listed(_: string, value: unknown): unknown {
  return value instanceof Map ? ["mapping", ...value] : value;
}
