// Files and numbers: every file is the one that the chain records, and every number stands in the frame it cites.
import type { Table } from "apache-arrow";

import { memberHash } from "./bundle";
import { cellAt, cellText } from "./cells";
import { Beyond, count, Fault } from "./fault";
import { canonicalJson, type Json, type JsonObject } from "./json";
import { artifactMember, CLAIMS, JOB } from "./layout";
import { checkWritten, jsonArray, jsonObject, type Reading, soundFrame } from "./reading";
import { type Claim, claimJson, claimOf, list, Malformed, need, object, placeOf, text } from "./recorded";
import { POINTS, shown } from "./spelling";
import type { Outcome } from "./verify";

/** Every file of the job is the one that the chain records. */
export async function checkArtifacts(reading: Reading): Promise<Outcome> {
  reading.job = await jsonObject(reading.bundle, JOB);
  let files: (readonly [string, string])[];
  try {
    files = filesOf(reading.job).map((file) => [text(file, "artifact_id"), text(file, "content_ref")]);
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault(`${JOB} does not say what the answer is (${thrown.message})`);
    throw thrown;
  }
  for (const [artifactId, contentRef] of files) {
    const record = reading.recorded!.files.get(artifactId);
    if (!record || record.contentRef !== contentRef) throw new Fault(`${contentRef}: the chain does not record it`);
    const actual = await memberHash(reading.bundle, artifactMember(contentRef));
    if (actual !== record.contentHash) {
      throw new Fault(`${contentRef}: its content has SHA-256 ${actual.slice(0, 12)}…, the chain says ${record.contentHash.slice(0, 12)}…`);
    }
  }
  return { detail: files.length === 1 ? "1 file matches its hash" : `${count(files.length, "file")} match their hashes` };
}

/** The files of a job's answer; without one, those that it had made. */
export function filesOf(job: JsonObject): JsonObject[] {
  const answer = need(job, "answer");
  const partial = job.has("partial_artifacts") ? list(job, "partial_artifacts") : [];
  return [...(answer === null ? [] : list(object(answer), "artifacts")), ...partial].map(object);
}

/** Every number is in the frame it cites, and the frame is what its call gave. */
export async function checkClaims(reading: Reading): Promise<Outcome> {
  const values = await jsonArray(reading.bundle, CLAIMS);
  const claims = await toldClaims(reading, values);
  for (const claim of claims) {
    const call = reading.recorded!.calls.get(claim.callId);
    if (!call || call.frameDigest !== claim.frameDigest) throw new Fault(`${placeOf(claim)}: the call it names gave no such frame`);
  }
  const beyond: string[] = [];
  for (const digest of [...new Set(claims.map((claim) => claim.frameDigest))].sort()) {
    const cited = claims.filter((claim) => claim.frameDigest === digest);
    try {
      const rows = await soundFrame(reading, digest);
      for (const claim of cited) claimFault(claim, rows, beyond);
    } catch (thrown) {
      if (!(thrown instanceof Beyond)) throw thrown;
      beyond.push(`${count(cited.length, "number")} of frame ${digest.slice(0, 8)}: ${thrown.message}`);
    }
  }
  const held = `${count(claims.length, "number")} found in the frames they cite`;
  if (beyond.length > 0) return { detail: `not all could be looked up here: ${beyond[0]}`, trusted: beyond, partly: "in part" };
  return { detail: held };
}

/** The claims that are told, once they are those of the chain. */
async function toldClaims(reading: Reading, values: Json[]): Promise<Claim[]> {
  let claims: Claim[];
  try {
    claims = values.map((value) => claimOf(object(value)));
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault(`${CLAIMS}: a claim is malformed (${thrown.message})`);
    throw thrown;
  }
  const known = reading.recorded!.claims;
  const spelled = (list_: readonly Claim[]) => new Set(list_.map((claim) => canonicalJson(claimJson(claim))));
  const [recorded, told] = [spelled(known), spelled(claims)];
  for (const claim of claims) {
    if (!recorded.has(canonicalJson(claimJson(claim)))) throw new Fault(`${placeOf(claim)}: the chain records no such claim`);
  }
  const left = known.find((claim) => !told.has(canonicalJson(claimJson(claim))));
  if (left) throw new Fault(`${placeOf(left)}: the chain records it, ${CLAIMS} does not`);
  const record = known.map(claimJson);
  if (canonicalJson(record) !== canonicalJson(values)) {
    throw new Fault(`${CLAIMS}: it tells more, or in another order, than the chain records`);
  }
  await checkWritten(reading.bundle, CLAIMS, record);
  return claims;
}

/** A claim is its cell, and printed as it is. Throws Fault; what this page cannot spell is told to `beyond`. */
function claimFault(claim: Claim, rows: Table, beyond: string[]): void {
  const positions = rows.schema.fields.flatMap((field, at) => (field.name === claim.column ? [at] : []));
  if (positions.length === 0) throw new Fault(`${placeOf(claim)}: the frame has no such column`);
  if (positions.length > 1) throw new Fault(`${placeOf(claim)}: the frame has ${positions.length} such columns`);
  if (claim.row < 0n || claim.row >= BigInt(rows.numRows)) throw new Fault(`${placeOf(claim)}: the frame has ${count(rows.numRows, "row")}`);
  try {
    const cell = cellAt(rows, positions[0]!, Number(claim.row));
    const value = cellText(cell);
    if (value !== claim.value) throw new Fault(`${placeOf(claim)}: the answer says ${claim.value}, the frame ${value}`);
    const texts = [
      ...(claim.unit === "%" ? [shown(cell, "", true)] : []),
      ...(claim.unit === POINTS ? [shown(cell, POINTS, true)] : []),
      shown(cell, claim.unit),
    ];
    if (!texts.includes(claim.text)) {
      throw new Fault(`${placeOf(claim)}: the answer prints '${claim.text}', the cell is printed '${texts[0]}'`);
    }
  } catch (thrown) {
    if (!(thrown instanceof Beyond)) throw thrown;
    beyond.push(`${placeOf(claim)}: ${thrown.message}`);
  }
}
