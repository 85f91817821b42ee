// What is told of the job against what the chain records, and every byte of a bundle.
import { memberHash } from "./bundle";
import { utf8, same } from "./bytes";
import { filesOf } from "./check_claims";
import { callsOf, jobOf, planOf, sourcesOf } from "./derived";
import { Beyond, count, Fault } from "./fault";
import { type Json, type JsonObject, member, sameJson } from "./json";
import { artifactMember, CALLS, DOCUMENTS, ENTRIES, frameMember, JOB, type Listed, manifest, MANIFEST, PLAN, SOURCES } from "./layout";
import { checkWritten, jsonArray, jsonObject, listedOf, type Reading, soundFrame } from "./reading";
import { list, Malformed, object, type Recorded, type RecordedCall, text } from "./recorded";
import type { Outcome } from "./verify";

const UNFINISHED = ["submitted", "planning", "waiting", "executing"];

/** Job, plan, calls, sources and frames are those that the chain records. */
export async function checkCalls(reading: Reading): Promise<Outcome> {
  const found = reading.recorded!;
  const steps = await malformed(`${ENTRIES}: what the chain records`, async () => {
    await checkJob(reading);
    checkTools(found);
    if (reading.bundle.from === "bundle") {
      await checkPlan(reading);
      await checkList(reading, SOURCES, sourcesOf(found), "name");
      await checkList(reading, CALLS, callsOf(found), "call_id");
    }
    return found.plan.has("subtasks") ? list(found.plan, "subtasks").length : 0;
  });
  checkInputs(found);
  const beyond: string[] = [];
  for (const digest of framesOfAnswer(reading)) {
    if (![...found.calls.values()].some((call) => call.frameDigest === digest)) throw new Fault(`${JOB}: no call gave frame ${digest.slice(0, 8)}`);
    try {
      await soundFrame(reading, digest);
    } catch (thrown) {
      if (!(thrown instanceof Beyond)) throw thrown;
      beyond.push(`The rows of frame ${digest.slice(0, 8)}: ${thrown.message}.`);
    }
  }
  const told = `${count(steps, "step")} and ${count(found.calls.size, "call")} agree with the chain`;
  return beyond.length > 0 ? { detail: `${told}; not all frames could be read here`, trusted: beyond, partly: "in part" } : { detail: told };
}

async function malformed<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault(`${what} is malformed (${thrown.message})`);
    throw thrown;
  }
}

async function checkJob(reading: Reading): Promise<void> {
  const [job, found] = [reading.job, reading.recorded!];
  const record = jobOf(found, reading.entries[0]!.requestId);
  if (!found.state) {
    const state = job.get("state") ?? "";
    if (typeof state !== "string" || !UNFINISHED.includes(state)) {
      throw new Fault(`${JOB}: its state is ${String(state)}, the chain has no end of it`);
    }
    record.set("state", state);
  }
  const [told, answer] = [job.get("answer") ?? null, record.get("answer") ?? null];
  checkFields("", new Map(job).set("answer", told !== null), new Map(record).set("answer", answer !== null));
  const kept = new Set(filesOf(job).map((file) => text(file, "content_ref")));
  for (const call of found.state ? found.calls.values() : []) {
    for (const file of call.files) {
      if (!kept.has(file.contentRef)) throw new Fault(`${file.contentRef}: ${placeOfCall(call)} made it, ${JOB} omits it`);
    }
  }
  if (told !== null && answer !== null) checkFields("answer's ", object(told), object(answer));
  await checkWritten(reading.bundle, JOB, record);
}

function checkFields(whose: string, values: JsonObject, record: JsonObject): void {
  for (const name of values.keys()) {
    if (!record.has(name)) throw new Fault(`${JOB}: the chain records nothing like its ${whose}${name}`);
  }
  for (const [name, value] of record) {
    const told = values.get(name);
    if (told === undefined || !sameJson(told, value)) throw new Fault(`${JOB}: its ${whose}${name} is not the one that the chain records`);
  }
}

async function checkPlan(reading: Reading): Promise<void> {
  const record = planOf(reading.recorded!);
  if (record === null) {
    if (reading.bundle.has(PLAN)) throw new Fault(`${PLAN}: the chain records no plan`);
    return;
  }
  const plan = await jsonObject(reading.bundle, PLAN);
  const [told, wanted] = [plan.get("subtasks"), list(record, "subtasks").map(object)];
  for (const [at, step] of wanted.entries()) {
    const one: Json | undefined = Array.isArray(told) ? told[at] : undefined;
    for (const [name, value] of step) {
      const same_ = member(one, name);
      if (same_ !== undefined && !sameJson(same_, value)) {
        throw new Fault(`${PLAN}: the ${name} of step ${text(step, "task_id")} is not the recorded one`);
      }
    }
  }
  if (!Array.isArray(told) || told.length !== wanted.length) throw new Fault(`${PLAN}: the chain records ${count(wanted.length, "step")}`);
  for (const name of ["plan_id", "reasoning", "answer_task", "proposal"]) {
    const [one, other] = [plan.get(name) ?? null, record.get(name) ?? null];
    if (!sameJson(one, other)) throw new Fault(`${PLAN}: its ${name} is not the recorded one`);
  }
  await checkWritten(reading.bundle, PLAN, record);
}

/** Every call is one of a step of the plan that it was made for, an abandoned one too. */
function checkTools(found: Recorded): void {
  const tools = new Map<string, string>();
  for (const [planId, plan] of found.plans) {
    for (const step of list(plan, "subtasks").map(object)) tools.set(`${planId} ${text(step, "task_id")}`, text(step, "tool_name"));
  }
  for (const call of found.calls.values()) {
    if (tools.get(`${call.planId} ${call.taskId}`) !== call.toolName) {
      throw new Fault(`${placeOfCall(call)}: the plan has no such step with ${call.toolName}`);
    }
  }
}

/** What went into a call is what an earlier call of that step gave. */
function checkInputs(found: Recorded): void {
  const given = new Map<string, Set<string>>();
  for (const call of found.calls.values()) {
    for (const [task, digest] of call.inputs) {
      if (!given.get(task)?.has(digest)) throw new Fault(`${placeOfCall(call)}: no call of step ${task} gave frame ${digest.slice(0, 8)}`);
    }
    given.set(call.taskId, (given.get(call.taskId) ?? new Set()).add(call.frameDigest));
  }
}

async function checkList(reading: Reading, name: string, record: JsonObject[], key: string): Promise<void> {
  const values = await jsonArray(reading.bundle, name);
  for (const [at, wanted] of record.entries()) {
    const told = values[at];
    if (told === undefined || !sameJson(told, wanted)) {
      throw new Fault(`${name}: number ${at + 1} (${String(wanted.get(key) ?? "")}) is not as the chain records`);
    }
  }
  if (values.length > record.length) throw new Fault(`${name}: the chain records ${record.length} of its ${values.length}`);
  await checkWritten(reading.bundle, name, record);
}

function framesOfAnswer(reading: Reading): string[] {
  const answer = reading.job.get("answer");
  const named = ["table", "display"].map((key) => member(answer, key)).filter((one) => typeof one === "string" && one !== "");
  return [...new Set([...(named as string[]), ...reading.recorded!.claims.map((claim) => claim.frameDigest), ...reading.frames.keys()])].sort();
}

/** All frames that a bundle of this job has: those of the answer, and those that its words state something of. */
function citedFrames(reading: Reading): string[] {
  const { end, answered } = reading.recorded!;
  const stated = answered ? list(end, "assertions").map(object).flatMap((one) => [text(one, "frame_digest"), text(one, "of_digest")]) : [];
  return [...new Set([...framesOfAnswer(reading), ...stated.filter((digest) => digest !== "")])];
}

function placeOfCall(call: RecordedCall): string {
  return `call ${call.callId.slice(0, 8)} (step ${call.taskId})`;
}

/** Every member is listed with its hash, nothing else is there, and no byte between them. */
export async function checkManifest(reading: Reading): Promise<Outcome> {
  const { bundle } = reading;
  const listed = await listedOf(reading);
  const actual = new Map<string, Listed>();
  for (const name of bundle.names) {
    if (name !== MANIFEST) actual.set(name, { sha256: await memberHash(bundle, name), bytes: (await bundle.content(name)).length });
  }
  for (const name of [...new Set([...actual.keys(), ...listed.keys()])].sort()) {
    const [there, told] = [actual.get(name), listed.get(name)];
    if (told === undefined) throw new Fault(`${name}: ${MANIFEST} does not list it`);
    if (!there) throw new Fault(`${MANIFEST}: it lists ${name}, which is not in the bundle`);
    const right = member(told, "sha256") === there.sha256 && member(told, "bytes") === BigInt(there.bytes);
    if (!right) throw new Fault(`${name}: it is not the content that ${MANIFEST} lists`);
  }
  const known = new Set([
    ...DOCUMENTS,
    ...filesOf(reading.job).map((file) => artifactMember(text(file, "content_ref"))),
    ...citedFrames(reading).map(frameMember),
  ]);
  const strange = bundle.names.find((name) => !known.has(name));
  if (strange !== undefined) throw new Fault(`${strange}: neither the answer nor a number of it has such a member`);
  const written = utf8(manifest(reading.entries[0]!.requestId, actual));
  if (!same(await bundle.content(MANIFEST), written)) throw new Fault(`${MANIFEST} is not written as it follows from the members`);
  const fault = await bundle.archiveFault();
  if (fault) throw new Fault(fault);
  const size = [...actual.values()].reduce((sum, one) => sum + one.bytes, written.length);
  return {
    detail: `${count(bundle.names.length, "member")}, ${count(size, "byte")}, and nothing else`,
    trusted: ["That frames are written in their one encoding: their rows are checked against their digests, their bytes only against the manifest."],
  };
}
