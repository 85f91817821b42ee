// What a bundle consists of (clients/python/verification/layout.py).
import { Fault } from "./fault";
import { documentJson, type Json } from "./json";

export const FORMAT = "assay-bundle/3";
export const MANIFEST = "manifest.json";
export const ENTRIES = "entries.jsonl";
export const PROOFS = "proofs.jsonl";
export const CHECKPOINT = "checkpoint";
export const LOG_KEY = "log.vkey";
export const WITNESS_KEYS = "witnesses.vkey";
export const JOB = "job.json";
export const PLAN = "plan.json";
export const CALLS = "calls.json";
export const CLAIMS = "claims.json";
export const SOURCES = "sources.json";
export const DOCUMENTS = [MANIFEST, ENTRIES, PROOFS, CHECKPOINT, LOG_KEY, WITNESS_KEYS, JOB, PLAN, CALLS, CLAIMS, SOURCES];

export const artifactMember = (contentRef: string): string => `artifacts/${safe(contentRef)}`;
export const frameMember = (digest: string): string => `frames/${safe(digest)}.arrows`;

export interface Listed {
  readonly sha256: string;
  readonly bytes: number;
}

/** The member that names all others, with their SHA-256 and size. */
export function manifest(jobId: string, members: ReadonlyMap<string, Listed>): string {
  const listed = [...members].map(([name, one]): [string, Json] => [
    name, new Map<string, Json>([["sha256", one.sha256], ["bytes", BigInt(one.bytes)]]),
  ]);
  return documentJson(new Map<string, Json>([["format", FORMAT], ["job_id", jobId], ["members", new Map(listed)]]));
}

function safe(name: string): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.includes("..") || name.startsWith("/") || /[\\\0]/.test(name)) {
    throw new Fault(`'${name}' is no place in a bundle`);
  }
  return parts.join("/");
}
