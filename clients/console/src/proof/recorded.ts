// What a job's chain says happened: its request, plan, calls, files and numbers. Reads entries that were checked before.
import type { Entry } from "./chain";
import { Fault } from "./fault";
import { type Json, type JsonObject } from "./json";

const UNANSWERED = new Set(["failed", "cancelled"]);

export interface RecordedFile {
  readonly artifactId: string;
  readonly contentRef: string;
  readonly contentHash: string;
  readonly artifactType: string;
  readonly mediaType: string;
}

/** One attempt at one step: what went in, and what came out. */
export interface RecordedCall {
  readonly callId: string;
  readonly taskId: string;
  readonly toolName: string;
  readonly attempt: bigint;
  readonly arguments: JsonObject;
  readonly inputs: ReadonlyMap<string, string>;
  readonly planId: string;
  status: string;
  frameDigest: string;
  readonly files: RecordedFile[];
  /** Places in the chain, from 1, of the call and of what came of it. */
  readonly calledAt: number;
  observedAt: number;
}

export interface Claim {
  readonly claimId: bigint;
  readonly value: string;
  readonly text: string;
  readonly frameDigest: string;
  readonly row: bigint;
  readonly column: string;
  readonly callId: string;
  readonly unit: string;
}

export interface Recorded {
  request: JsonObject;
  readonly plans: Map<string, JsonObject>;
  plan: JsonObject;
  readonly calls: Map<string, RecordedCall>;
  readonly files: Map<string, RecordedFile>;
  state: string;
  answered: boolean;
  end: JsonObject;
  endedAt: number;
  claims: readonly Claim[];
}

/** Read a chain. Throws Fault, naming the first entry that does not hold what it should. */
export function recorded(entries: readonly Entry[]): Recorded {
  const reader = new Reader();
  for (const entry of entries) {
    try {
      reader.take(entry);
    } catch (thrown) {
      if (!(thrown instanceof Malformed)) throw thrown;
      throw new Fault(`entry ${entry.number}: its ${entry.eventType} is malformed (${thrown.message})`);
    }
  }
  return reader.found;
}

export class Malformed extends Error {}

class Reader {
  readonly found: Recorded = {
    request: new Map(), plans: new Map(), plan: new Map(), calls: new Map(), files: new Map(),
    state: "", answered: false, end: new Map(), endedAt: 0, claims: [],
  };
  private observed: RecordedCall | null = null; // the call whose files may follow: they stand right behind it

  take(entry: Entry): void {
    const [observed, data, found] = [this.observed, entry.data, this.found];
    this.observed = null;
    switch (entry.eventType) {
      case "request_submitted":
        [found.request, found.state] = [data, ""];
        return;
      case "plan_created":
        found.plan = this.planned(data);
        found.plans.set(this.planId, found.plan);
        return;
      case "tool_called":
        this.call(data, Number(entry.number));
        return;
      case "observation_recorded":
        if (data.has("call_id")) this.observe(data, Number(entry.number));
        else if (!data.has("iteration")) this.unanswered(text(data, "state"), entry);
        return;
      case "artifact_generated":
        if (data.has("artifact_id")) this.file(data, entry.actor === "actor" ? observed : null);
        else this.answer(entry);
        return;
      case "policy_decision":
        this.decide(entry);
    }
  }

  private get planId(): string {
    return told(this.found.plan.get("plan_id") ?? "");
  }

  /** A new plan, or the one there is with what an iteration adds to it, or a join. */
  private planned(data: JsonObject): JsonObject {
    const grows = ["move", "agents", "joined"].some((key) => data.has(key));
    const before = grows ? this.found.plans.get(text(data, "plan_id")) : undefined;
    text(data, "plan_id");
    if (!before) return data;
    const known = new Set(list(before, "subtasks").map((step) => need(object(step), "task_id")));
    const further = list(data, "subtasks").filter((step) => !known.has(need(object(step), "task_id")));
    return new Map([
      ...before,
      ["reasoning", need(data, "reason")],
      ["answer_task", data.get("answer_task") ?? need(before, "answer_task")],
      ["subtasks", [...list(before, "subtasks"), ...further]],
    ]);
  }

  private decide(entry: Entry): void {
    const decision = need(entry.data, "decision");
    if (typeof decision === "string" && UNANSWERED.has(decision)) this.unanswered(decision, entry);
    else if (decision === "refused" && !this.found.state) this.ended("failed", entry, false);
  }

  /** An end without an answer also voids an answer that was logged and could not be told. */
  private unanswered(state: string, entry: Entry): void {
    if (!UNANSWERED.has(state)) throw new Malformed(`'${state}' is no end without an answer`);
    this.found.claims = [];
    this.ended(state, entry, false);
  }

  private answer(entry: Entry): void {
    this.found.claims = list(entry.data, "claims").map((claim) => claimOf(object(claim)));
    this.ended(told(entry.data.get("state") ?? ""), entry, true);
  }

  private ended(state: string, entry: Entry, answered: boolean): void {
    Object.assign(this.found, { state, end: entry.data, answered, endedAt: Number(entry.number) });
  }

  private call(data: JsonObject, number: number): void {
    const call: RecordedCall = {
      callId: text(data, "call_id"),
      taskId: text(data, "task_id"),
      toolName: text(data, "tool_name"),
      attempt: whole(data, "attempt_number"),
      arguments: object(need(data, "arguments")),
      inputs: new Map([...object(need(data, "inputs"))].map(([task, digest]) => [task, told(digest)])),
      planId: this.planId,
      status: "",
      frameDigest: "",
      files: [],
      calledAt: number,
      observedAt: 0,
    };
    this.found.calls.set(call.callId, call);
  }

  private observe(data: JsonObject, number: number): void {
    const call = this.found.calls.get(text(data, "call_id"));
    if (!call) throw new Malformed("there was no such call");
    call.status = text(data, "status");
    call.frameDigest = told(data.get("frame_digest") ?? "");
    call.observedAt = number;
    this.observed = call;
  }

  private file(data: JsonObject, call: RecordedCall | null): void {
    const file: RecordedFile = {
      artifactId: text(data, "artifact_id"),
      contentRef: text(data, "content_ref"),
      contentHash: text(data, "content_hash"),
      artifactType: told(data.get("artifact_type") ?? ""),
      mediaType: told(data.get("media_type") ?? ""),
    };
    this.found.files.set(file.artifactId, file);
    if (call) {
      call.files.push(file);
      this.observed = call;
    }
  }
}

/** A claim as chains record it. Throws Malformed. */
export function claimOf(claim: JsonObject): Claim {
  return {
    claimId: whole(claim, "claim_id"),
    value: text(claim, "value"),
    text: text(claim, "text"),
    frameDigest: text(claim, "frame_digest"),
    row: whole(claim, "row"),
    column: text(claim, "column"),
    callId: text(claim, "call_id"),
    unit: text(claim, "unit"),
  };
}

export function claimJson(claim: Claim): JsonObject {
  return new Map<string, Json>([
    ["claim_id", claim.claimId], ["value", claim.value], ["text", claim.text], ["frame_digest", claim.frameDigest],
    ["row", claim.row], ["column", claim.column], ["call_id", claim.callId], ["unit", claim.unit],
  ]);
}

/** The claim and its cell, for people. */
export function placeOf(claim: Claim): string {
  return `claim ${claim.claimId} (frame ${claim.frameDigest.slice(0, 8)}, row ${claim.row}, column '${claim.column}')`;
}

export function need(data: JsonObject, key: string): Json {
  const found = data.get(key);
  if (found === undefined) throw new Malformed(`'${key}' is missing`);
  return found;
}

export function text(data: JsonObject, key: string): string {
  const found = need(data, key);
  if (typeof found !== "string") throw new Malformed(`'${key}' is no text`);
  return found;
}

function whole(data: JsonObject, key: string): bigint {
  const found = need(data, key);
  if (typeof found !== "bigint") throw new Malformed(`'${key}' is no whole number`);
  return found;
}

export function list(data: JsonObject, key: string): Json[] {
  const found = need(data, key);
  if (!Array.isArray(found)) throw new Malformed(`'${key}' is no list`);
  return found;
}

export function object(value: Json): JsonObject {
  if (!(value instanceof Map)) throw new Malformed("something there is no object");
  return value;
}

function told(value: Json): string {
  if (value === null) return "";
  if (typeof value !== "string") throw new Malformed("something there is no text");
  return value;
}
