// What a chain says of a job, as people read it.
import { ColumnFormat } from "@gen/assay/common/v1/analysis_pb";

import { questionOf } from "../../proof/derived";
import { type Json, type JsonObject, member } from "../../proof/json";
import type { Claim, Recorded, RecordedCall } from "../../proof/recorded";

export interface Piece {
  readonly text: string;
  readonly claim: Claim | null;
}

/** The question as it was recorded; empty where the chain has none that is sound. */
export function asked(found: Recorded): string {
  try {
    return questionOf(found.request);
  } catch {
    return "";
  }
}

/** An answer's words, cut where a number is claimed. */
export function piecesOf(found: Recorded): Piece[] {
  const text = found.end.get("text");
  if (!found.answered || typeof text !== "string") return [];
  const letters = Array.from(text); // places count code points
  const claims = new Map(found.claims.map((claim) => [claim.claimId, claim]));
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, claim } of doors(found.end.get("assertions"), claims)) {
    if (start < at || end > letters.length) continue;
    pieces.push({ text: letters.slice(at, start).join(""), claim: null }, { text: letters.slice(start, end).join(""), claim });
    at = end;
  }
  return [...pieces, { text: letters.slice(at).join(""), claim: null }];
}

function doors(assertions: Json | undefined, claims: ReadonlyMap<bigint, Claim>): { start: number; end: number; claim: Claim }[] {
  if (!Array.isArray(assertions)) return [];
  return assertions
    .flatMap((one) => {
      const [start, end, id] = ["start", "end", "claim_id"].map((key) => member(one, key));
      const claim = typeof id === "bigint" ? claims.get(id) : undefined;
      const door = claim && member(one, "kind") === "number" && member(one, "place") === "text" && typeof start === "bigint" && typeof end === "bigint";
      return door ? [{ start: Number(start), end: Number(end), claim }] : [];
    })
    .sort((a, b) => a.start - b.start);
}

/** How columns read, by name, as the chain has it. */
export function formatsOf(found: Recorded): Record<string, ColumnFormat> {
  const formats = found.end.get("formats");
  if (!(formats instanceof Map)) return {};
  return Object.fromEntries([...formats].map(([name, how]) => [name, ColumnFormat[String(how).toUpperCase() as keyof typeof ColumnFormat] ?? 0]));
}

/** The step that a call was made for. */
export function stepOf(found: Recorded, call: RecordedCall): JsonObject | null {
  const steps = found.plans.get(call.planId)?.get("subtasks");
  const step = Array.isArray(steps) ? steps.find((one) => member(one, "task_id") === call.taskId) : undefined;
  return step instanceof Map ? step : null;
}

/** The statement that a call ran, where it ran one. */
export function statementOf(call: RecordedCall): string {
  const query = call.arguments.get("query") ?? call.arguments.get("sql");
  return typeof query === "string" ? query : "";
}
