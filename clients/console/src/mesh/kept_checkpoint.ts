// This browser as a witness for itself: it remembers the newest checkpoint that it saw of this mesh, and asks for the
// proof that what it is shown now continues it. A log that was rolled back or forked is found so.
import { audit } from "./calls";
import { troubleOf } from "./errors";
import { type Bytes, hex, unhex } from "../proof/bytes";
import { Fault } from "../proof/fault";
import { ProofError, verifyConsistency } from "../proof/merkle";
import { encodeKey } from "../proof/note";
import type { Reading } from "../proof/reading";
import type { Outcome } from "../proof/verify";

const KEY = "assay.checkpoint";
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

interface Kept {
  readonly key: string;
  readonly size: string;
  readonly root: string;
  readonly at: number;
}

function kept(): Kept | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Kept> | null;
    const whole = found && typeof found.key === "string" && /^\d+$/.test(found.size ?? "") && unhex(found.root ?? "?")?.length === 32;
    return whole ? (found as Kept) : null;
  } catch {
    return null;
  }
}

/** Start over, for a mesh that was set up again at the same address. */
export function forgetCheckpoint(): void {
  localStorage.removeItem(KEY);
}

/** What is shown now continues what was seen before. */
export async function checkHistory(reading: Reading): Promise<Outcome> {
  if (!reading.checkpoint || !reading.logKey) return { detail: "no signed checkpoint was read", partly: "not checked" };
  const now: Kept = { key: encodeKey(reading.logKey), size: String(reading.checkpoint.size), root: hex(reading.checkpoint.root), at: Date.now() };
  const before = kept();
  if (before === null) {
    localStorage.setItem(KEY, JSON.stringify(now));
    return {
      detail: "the first checkpoint of this log that this browser sees; it is kept, and later ones are checked against it",
      partly: "first seen",
      trusted: ["That the log was not rewritten before today: this browser kept no earlier checkpoint of it."],
    };
  }
  const when = MOMENT.format(new Date(before.at));
  if (before.key !== now.key) throw new Fault(`the log is signed by a different key than the one that this browser kept on ${when}`);
  const [older, newer] = BigInt(before.size) <= BigInt(now.size) ? [before, now] : [now, before];
  const told = await continued(older, newer);
  if (told !== null) return { detail: told, partly: "not checked", trusted: [`That the log continues the one of ${when}: ${told}.`] };
  if (newer === now) localStorage.setItem(KEY, JSON.stringify(now));
  const size = Number(before.size).toLocaleString("en-US");
  if (before.size === now.size) return { detail: `is checkpoint ${size}, as this browser kept it on ${when}` };
  return { detail: newer === now ? `continues checkpoint ${size}, which this browser kept on ${when}` : `is continued by checkpoint ${size}, which this browser kept on ${when}` };
}

/** Throws Fault where one is no beginning of the other; why that could not be looked into, or null. */
async function continued(older: Kept, newer: Kept): Promise<string | null> {
  if (older.size === newer.size) {
    if (older.root === newer.root) return null;
    throw new Fault(`this browser was shown two logs: the checkpoints of ${older.size} entries have different roots`);
  }
  let hashes: Bytes[];
  try {
    const proof = await audit.getConsistencyProof({ oldSize: BigInt(older.size), newSize: BigInt(newer.size) });
    hashes = proof.hashes as Bytes[];
  } catch (thrown) {
    return troubleOf(thrown)?.message ?? "the request was cancelled";
  }
  try {
    await verifyConsistency(BigInt(older.size), BigInt(newer.size), hashes, unhex(older.root)!, unhex(newer.root)!);
    return null;
  } catch (thrown) {
    if (thrown instanceof ProofError) throw new Fault(`the log does not continue the one that this browser kept: ${thrown.message}`);
    throw thrown;
  }
}
