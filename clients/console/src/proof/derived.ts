// Members that follow from the chain alone: written from it, and held against those that are there.
import { type Json, type JsonObject } from "./json";
import { list, Malformed, need, object, type Recorded, type RecordedCall, type RecordedFile } from "./recorded";

const STEP_FIELDS = ["task_id", "description", "tool_name", "arguments", "dependencies", "invariants", "estimated_cost_seconds"];
const PROPOSAL_FIELDS = ["proposer", "interpretation", "statement", "grain", "assumptions"];
const PROPOSED: Record<string, readonly string[]> = {
  bindings: ["words", "fragment", "kind", "because"],
  columns: ["name", "role", "unit", "additive"],
  findings: ["code", "name", "severity", "at", "said", "mend", "sizes", "fix"],
  others: ["proposer", "interpretation", "statement", "compared", "told"],
};
const ANSWER_FIELDS = ["text", "assertions", "caveats", "empty_reason", "confidence", "reasoner", "recipe", "table", "display"];

export function callsOf(found: Recorded): JsonObject[] {
  return [...found.calls.values()].map(callObject);
}

function callObject(call: RecordedCall): JsonObject {
  return new Map<string, Json>([
    ["call_id", call.callId], ["plan_id", call.planId], ["task_id", call.taskId], ["tool_name", call.toolName],
    ["attempt_number", call.attempt], ["arguments", call.arguments], ["input_digests", new Map(call.inputs)],
    ["status", call.status], ["frame_digest", call.frameDigest],
    ["files", new Map(call.files.map((file) => [file.contentRef, file.contentHash]))],
  ]);
}

export function sourcesOf(found: Recorded): JsonObject[] {
  const digests = found.plan.get("source_digests") ?? [];
  const known = Array.isArray(digests) ? digests : [];
  const sources = found.request.has("data_sources") ? list(found.request, "data_sources") : [];
  return sources.map((source, at) => new Map([...object(source), ["sha256", known[at] ?? null]]));
}

/** The plan as the chain has it; null where none was made. */
export function planOf(found: Recorded): JsonObject | null {
  const { plan } = found;
  if (plan.size === 0) return null;
  const proposed = plan.get("proposal") ?? null;
  return new Map<string, Json>([
    ...(proposed === null ? [] : [["proposal", proposalOf(object(proposed))] as const]),
    ["plan_id", need(plan, "plan_id")],
    ["reasoning", need(plan, "reasoning")],
    ["answer_task", need(plan, "answer_task")],
    ["subtasks", list(plan, "subtasks").map((step) => only(object(step), STEP_FIELDS))],
  ]);
}

function proposalOf(record: JsonObject): JsonObject {
  const told = only(record, PROPOSAL_FIELDS);
  for (const [name, fields] of Object.entries(PROPOSED)) {
    told.set(name, list(record, name).map((one) => {
      const held = only(object(one), fields);
      if (name !== "others") return held;
      const [clause, glimpse] = ["clause", "glimpse"].map((field) => object(one).get(field));
      if (clause !== undefined) held.set("clause", clause);
      return glimpse ? held.set("glimpse", glimpse) : held;
    }));
  }
  const unchecked = record.get("not_checked");
  return unchecked === undefined ? told : told.set("not_checked", unchecked);
}

/** The job and its answer as the chain has them; its state is empty while the chain has no end of it. Throws Malformed. */
export function jobOf(found: Recorded, jobId: string): JsonObject {
  return new Map<string, Json>([
    ["job_id", jobId],
    ["state", found.state],
    ["question", questionOf(found.request)],
    ["understood", found.plan.get("understood") ?? ""],
    ["answer", found.answered ? answerOf(found) : null],
    ["failure", failureOf(found)],
    ["partial_artifacts", files(found, found.end.has("partial_artifacts") ? list(found.end, "partial_artifacts") : [])],
  ]);
}

function answerOf(found: Recorded): JsonObject {
  return only(found.end, ANSWER_FIELDS).set("artifacts", files(found, list(found.end, "artifacts")));
}

function failureOf(found: Recorded): Json {
  if (found.answered || !found.state) return null;
  return new Map<string, Json>([["reason", need(found.end, "rule")], ["message", need(found.end, "reason")]]);
}

function files(found: Recorded, ids: Json[]): JsonObject[] {
  return ids.map((id) => {
    const file = typeof id === "string" ? found.files.get(id) : undefined;
    if (!file) throw new Malformed(`there is no file ${String(id)}`);
    return fileObject(file);
  });
}

function fileObject(file: RecordedFile): JsonObject {
  return new Map<string, Json>([
    ["artifact_id", file.artifactId], ["artifact_type", file.artifactType],
    ["content_ref", file.contentRef], ["media_type", file.mediaType],
  ]);
}

function only(record: JsonObject, fields: readonly string[]): JsonObject {
  return new Map(fields.map((name) => [name, need(record, name)]));
}

/** What a request of any kind asks (mesh/text/asking.py). */
export function questionOf(request: JsonObject): string {
  const said = (key: string): string => words(request.get(key));
  const plain = said("statement") || said("intent") || said("asked");
  if (!plain && request.has("treatment")) return effectQuestion(said("treatment"), said("outcome"));
  if (plain || !request.has("metric_sql")) return plain;
  const metric = said("metric_sql");
  if (truthy(request.get("leaf"))) {
    return metric ? `why does ${metric} differ from its forecast` : "why do the leaves differ from their forecast";
  }
  const [before, after] = ["baseline_period", "comparison_period"].map((name) => {
    const period = object(request.get(name) ?? new Map());
    return `${words(need(period, "start"))} to ${words(need(period, "end"))}`;
  });
  return `why did ${metric} move from ${before} to ${after}`;
}

function effectQuestion(treatment: string, outcome: string): string {
  if (treatment) return outcome ? `what effect does ${treatment} have on ${outcome}` : `what does ${treatment} change`;
  return outcome ? `what moves ${outcome}` : "what causes what";
}

function words(value: Json | undefined): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
}

function truthy(value: Json | undefined): boolean {
  if (value instanceof Map) return value.size > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
