// A job of the mesh as a bundle: its chain, proofs and files, by the names that they have in an export, so that the
// same checks are made of both.
import { Code, ConnectError } from "@connectrpc/connect";
import { ArtifactType, type Answer, Confidence, EmptyReason } from "@gen/assay/common/v1/analysis_pb";
import { type Job, JobState } from "@gen/assay/common/v1/job_pb";
import type { Table } from "apache-arrow";

import type { Bundle } from "../proof/bundle";
import { type Bytes, hex, joined, linesOf, utf8 } from "../proof/bytes";
import { Fault } from "../proof/fault";
import { documentJson, type Json, jsonOf, lineJson } from "../proof/json";
import { artifactMember, CHECKPOINT, CLAIMS, ENTRIES, JOB, LOG_KEY, PROOFS, WITNESS_KEYS } from "../proof/layout";
import { artifacts, audit, jobs } from "./calls";
import { readFrame } from "./frames";

/** What of the contents that a mesh no longer hands out is something that was found, and no failure of the call. */
const LOST = new Set([Code.NotFound, Code.DataLoss, Code.FailedPrecondition]);
const AT_WORK = new Set([JobState.SUBMITTED, JobState.PLANNING, JobState.EXECUTING]);

export interface Proven {
  readonly job: Job;
  /** Null while the job runs: its audit log is still growing. */
  readonly bundle: Bundle | null;
}

/** A job with all that its proof needs but its frames and files, which come when they are looked into. Throws ConnectError. */
export async function proofOfJob(jobId: string, signal: AbortSignal): Promise<Proven> {
  const job = (await jobs.getJob({ jobId }, { signal })).job!;
  if (AT_WORK.has(job.state)) return { job, bundle: null };
  const members = new Map<string, Bytes>();
  const pieces: Uint8Array[] = [];
  for await (const { data } of audit.exportChain({ jobId }, { signal })) pieces.push(data);
  members.set(ENTRIES, joined(pieces));
  await readProofs(jobId, linesOf(members.get(ENTRIES)!)?.length ?? 0, members, signal);
  members.set(JOB, utf8(documentJson(toldJob(job))));
  members.set(CLAIMS, utf8(documentJson(toldClaims(job))));
  return { job, bundle: new MeshBundle(job, members, signal) };
}

async function readProofs(jobId: string, entries: number, members: Map<string, Bytes>, signal: AbortSignal): Promise<void> {
  let lines = "";
  for await (const { part } of audit.exportProofs({ jobId }, { signal })) {
    if (part.case === "checkpoint") {
      members.set(CHECKPOINT, utf8(part.value.note));
      members.set(LOG_KEY, utf8(`${part.value.verifierKey}\n`));
      const keys = part.value.witnessKeys.map((key) => `${key}\n`).join("");
      if (keys) members.set(WITNESS_KEYS, utf8(keys));
    } else if (part.case === "proof" && part.value.sequenceNumber <= BigInt(entries)) {
      const { sequenceNumber, leafIndex, hashes } = part.value;
      lines += lineJson(jsonOf({ sequence_number: sequenceNumber, leaf_index: leafIndex, hashes: hashes.map(hex) }));
    }
  }
  members.set(PROOFS, utf8(lines));
}

class MeshBundle implements Bundle {
  readonly from = "mesh";

  constructor(private readonly job: Job, private readonly members: Map<string, Bytes>, private readonly signal: AbortSignal) {}

  get names(): string[] {
    return [...this.members.keys()].sort();
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  async content(name: string): Promise<Bytes> {
    const known = this.members.get(name);
    if (known) return known;
    const files = [...(this.job.result.value?.artifacts ?? []), ...this.job.partialArtifacts];
    const file = files.find((one) => artifactMember(one.contentRef) === name);
    if (!file) throw new Fault(`the mesh did not return ${name}`);
    const pieces: Uint8Array[] = [];
    await handedOut(file.contentRef, async () => {
      const asked = artifacts.downloadArtifact({ jobId: this.job.jobId, artifactId: file.artifactId }, { signal: this.signal });
      for await (const { chunk } of asked) pieces.push(chunk!.data);
    });
    this.members.set(name, joined(pieces));
    return this.members.get(name)!;
  }

  frame(digest: string): Promise<Table> {
    return handedOut(`frame ${digest.slice(0, 8)}`, () => readFrame(this.job.jobId, digest, this.signal));
  }

  async archiveFault(): Promise<string | null> {
    return null;
  }
}

async function handedOut<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof ConnectError && LOST.has(thrown.code)) throw new Fault(`${what}: ${thrown.rawMessage}`);
    throw thrown;
  }
}

function toldJob(job: Job): Json {
  const answer = job.result.value;
  return jsonOf({
    job_id: job.jobId,
    state: (JobState[job.state] ?? "").toLowerCase(),
    question: questionOf(job),
    understood: job.understood,
    answer: answer ? toldAnswer(answer) : null,
    failure: job.failure ? { reason: job.failure.reason, message: job.failure.message } : null,
    partial_artifacts: job.partialArtifacts.map(toldFile),
  });
}

function toldAnswer(answer: Answer): object {
  const empty = answer.emptyReason === EmptyReason.UNSPECIFIED ? null : (EmptyReason[answer.emptyReason] ?? "").toLowerCase();
  return {
    text: answer.text,
    assertions: answer.assertions.map((one) => ({
      kind: one.kind, place: one.place, start: BigInt(one.start), end: BigInt(one.end), frame_digest: one.frameDigest,
      rows: one.rows.map(BigInt), columns: one.columns, by: one.by, claim_id: BigInt(one.claimId),
      of_digest: one.ofDigest, of_column: one.ofColumn,
    })),
    caveats: answer.caveats,
    empty_reason: empty,
    confidence: answer.confidence === Confidence.UNSPECIFIED ? "" : (Confidence[answer.confidence] ?? "").toLowerCase(),
    reasoner: answer.reasoner,
    recipe: answer.recipe,
    table: answer.table?.digest || null,
    display: answer.display?.digest || null,
    artifacts: answer.artifacts.map(toldFile),
  };
}

function toldFile(file: Answer["artifacts"][number]): object {
  return {
    artifact_id: file.artifactId,
    artifact_type: (ArtifactType[file.artifactType] ?? "").toLowerCase(),
    content_ref: file.contentRef,
    media_type: file.mediaType,
  };
}

function toldClaims(job: Job): Json {
  return jsonOf((job.result.value?.claims ?? []).map((claim) => ({
    claim_id: BigInt(claim.claimId), value: claim.value, text: claim.text, unit: claim.unit,
    frame_digest: claim.frameDigest, row: BigInt(claim.row), column: claim.column, call_id: claim.callId,
  })));
}

/** What was asked, as the mesh tells it (clients/python/words_of.py). */
export function questionOf(job: Job): string {
  const asked = job.work;
  if (asked.case === "causal") return asked.value.question || effectOf(asked.value.treatment, asked.value.outcome);
  if (asked.case !== "investigation") return asked.value ? asked.value.statement || asked.value.intent : "";
  const { question, metricSql, baselinePeriod: before, comparisonPeriod: after } = asked.value;
  if (question) return question;
  if (asked.value.leaf) return metricSql ? `why does ${metricSql} differ from its forecast` : "why do the leaves differ from their forecast";
  return `why did ${metricSql} move from ${before?.start ?? ""} to ${before?.end ?? ""} to ${after?.start ?? ""} to ${after?.end ?? ""}`;
}

function effectOf(treatment: string, outcome: string): string {
  if (treatment) return outcome ? `what effect does ${treatment} have on ${outcome}` : `what does ${treatment} change`;
  return outcome ? `what moves ${outcome}` : "what causes what";
}
