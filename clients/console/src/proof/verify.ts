// All checks in their order; nothing follows the first that fails.
import type { Bundle } from "./bundle";
import { checkChain, checkTree } from "./check_chain";
import { checkArtifacts, checkClaims } from "./check_claims";
import { checkCalls, checkManifest } from "./check_told";
import { checkWords } from "./check_words";
import { Beyond, Fault, type Finding } from "./fault";
import { begin, type Reading, type Trust } from "./reading";
import { Malformed } from "./recorded";

/** What a check that found nothing wrong tells. `partly` says so where it did not look into all that its name says. */
export interface Outcome {
  readonly detail: string;
  readonly trusted?: readonly string[];
  readonly partly?: "in part" | "not checked" | "first seen";
}

export type Check = (reading: Reading) => Promise<Outcome>;

const CHECKS: readonly (readonly [string, Check])[] = [
  ["chain", checkChain],
  ["tree", checkTree],
  ["artifacts", checkArtifacts],
  ["claims", checkClaims],
  ["calls", checkCalls],
  ["words", checkWords],
  ["manifest", checkManifest],
];

/** What no proof shows, however it is checked. */
export const NEVER_PROVEN = [
  "That the source data was true.",
  "That the question was understood as it was meant, and that its caveats were well chosen.",
  "That nothing happened in the job after the last entry shown here.",
];

/** The names of the checks of a bundle or a mesh's job, in order. */
export function checkNames(from: Bundle["from"]): string[] {
  // A manifest that this page wrote itself would say nothing.
  return CHECKS.map(([name]) => name).filter((name) => from === "bundle" || name !== "manifest");
}

export function begun(bundle: Bundle, trust: Trust): Reading {
  return begin(bundle, trust);
}

/**
 * The checks one after another; the first that fails is the last. What a mesh's calls throw comes through. `history` is
 * made behind the tree's, where there is something to hold its checkpoint against.
 */
export async function* findings(reading: Reading, history: Check | null = null): AsyncGenerator<Finding> {
  if (!globalThis.crypto?.subtle) {
    yield { name: "chain", verdict: "trust", short: "not checked", detail: "this address is not secure (neither https nor this machine's own), so the browser does not compute hashes", trusted: [] };
    return;
  }
  const wanted = checkNames(reading.bundle.from);
  const all = CHECKS.filter(([name]) => wanted.includes(name));
  for (const [name, check] of history ? [...all.slice(0, 2), ["history", history] as const, ...all.slice(2)] : all) {
    const finding = await found(name, check, reading);
    yield finding;
    // What comes next builds on what was read before: where that could not be done, nothing more is said.
    if (finding.verdict === "wrong" || (finding.verdict === "trust" && NEEDED.has(name))) return;
  }
}

const NEEDED = new Set(["chain"]);

async function found(name: string, check: Check, reading: Reading): Promise<Finding> {
  try {
    const { detail, trusted = [], partly = "" } = await check(reading);
    return { name, verdict: partly ? "trust" : "ok", short: partly, detail, trusted };
  } catch (thrown) {
    if (thrown instanceof Beyond) {
      return { name, verdict: "trust", short: "not checked", detail: thrown.message, trusted: [`All of "${name}": ${thrown.message}.`] };
    }
    const why = wrongness(thrown);
    if (why === null) throw thrown;
    return { name, verdict: "wrong", short: "", detail: why, trusted: [] };
  }
}

/** What is off, in words; null for a failure that says nothing of the proof. */
function wrongness(thrown: unknown): string | null {
  if (thrown instanceof Fault) return thrown.message;
  if (thrown instanceof Malformed) return `what the chain records is malformed (${thrown.message})`;
  // Texts and tables that are not what they say make their readers fail in these ways.
  return thrown instanceof RangeError || thrown instanceof TypeError ? `what is there cannot be read (${thrown.message})` : null;
}
