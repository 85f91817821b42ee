// The first two checks: every entry whole and in its place, and all of them in the tree whose root the log signed.
import { memberText } from "./bundle";
import { type Bytes, hex, linesOf, unhex } from "./bytes";
import { type Entry, entryFault, NoEntry, readLeaf } from "./chain";
import { count, Fault } from "./fault";
import { type Json } from "./json";
import { CHECKPOINT, ENTRIES, LOG_KEY, PROOFS, WITNESS_KEYS } from "./layout";
import { leafHash, ProofError, remembering, verifyInclusion } from "./merkle";
import { type Checkpoint, cosignedAt, encodeKey, encodeNote, isBy, NoteError, parseKey, parseNote, type PublicKey, verifyCheckpoint } from "./note";
import { jsonLines, type Reading } from "./reading";
import { recorded } from "./recorded";
import type { Outcome } from "./verify";

/** Every entry is whole, and carries the hash of the one before it. */
export async function checkChain(reading: Reading): Promise<Outcome> {
  const lines = linesOf(await reading.bundle.content(ENTRIES));
  if (lines === null) throw new Fault(`${ENTRIES} has no entry, or does not end with a line feed`);
  const entries: Entry[] = [];
  for (const [at, line] of lines.entries()) {
    try {
      const entry = readLeaf(line);
      const why = await entryFault(entry, entries);
      if (why) throw new Fault(`entry ${at + 1}: ${why}`);
      entries.push(entry);
    } catch (thrown) {
      if (thrown instanceof NoEntry) throw new Fault(`entry ${at + 1}: it is not an entry (${thrown.message})`);
      throw thrown;
    }
  }
  reading.recorded = recorded(entries);
  reading.leaves = lines;
  reading.entries = entries;
  return { detail: `${count(entries.length, "entry", "entries")}, unbroken` };
}

/** Every entry is in the tree whose root the log signed, and the witnesses cosigned. */
export async function checkTree(reading: Reading): Promise<Outcome> {
  const { checkpoint, told, trusted } = await signedCheckpoint(reading);
  const proofs = await jsonLines(reading.bundle, PROOFS);
  if (proofs.length !== reading.leaves.length) {
    throw new Fault(`${PROOFS} has ${count(proofs.length, "proof")}, the chain ${count(reading.leaves.length, "entry", "entries")}`);
  }
  const hash = remembering();
  let behind = -1n;
  for (const [at, proof] of proofs.entries()) {
    const read = proofOf(proof);
    const wrong = (why: string) => new Fault(`entry ${at + 1}: its proof does not hold: ${why}`);
    if (!read) throw wrong(`${PROOFS} has no leaf index with hashes in hexadecimal there`);
    if (read.number !== BigInt(at + 1)) throw wrong("it is of another entry");
    if (read.index <= behind) throw wrong(`leaf ${read.index} does not come after leaf ${behind}`);
    behind = read.index;
    const leaf = await leafHash(reading.leaves[at]!);
    try {
      const steps = await verifyInclusion(leaf, read.index, checkpoint.size, read.hashes, checkpoint.root, hash);
      reading.places.push({ leafIndex: read.index, leafHash: leaf, steps });
    } catch (thrown) {
      if (thrown instanceof ProofError) throw wrong(thrown.message);
      throw thrown;
    }
  }
  return { detail: `included in checkpoint ${checkpoint.size.toLocaleString("en-US")}, ${told}`, trusted };
}

function proofOf(proof: Json): { number: bigint; index: bigint; hashes: Bytes[] } | null {
  if (!(proof instanceof Map) || proof.size !== 3) return null;
  const [number, index, given] = ["sequence_number", "leaf_index", "hashes"].map((key) => proof.get(key));
  if (typeof number !== "bigint" || typeof index !== "bigint" || !Array.isArray(given)) return null;
  const hashes = given.map((one) => (typeof one === "string" && one === one.toLowerCase() ? unhex(one) : null));
  return hashes.includes(null) ? null : { number, index, hashes: hashes as Bytes[] };
}

/** The checkpoint, once its signatures hold, and who signed it. */
async function signedCheckpoint(reading: Reading): Promise<{ checkpoint: Checkpoint; told: string; trusted: string[] }> {
  try {
    return await believed(reading);
  } catch (thrown) {
    if (thrown instanceof NoteError) throw new Fault(`checkpoint: ${thrown.message}`);
    throw thrown;
  }
}

async function believed(reading: Reading): Promise<{ checkpoint: Checkpoint; told: string; trusted: string[] }> {
  const { bundle, trust } = reading;
  const note = await memberText(bundle, CHECKPOINT);
  const own = await keysOf(reading, LOG_KEY, "log");
  const cosigners = bundle.has(WITNESS_KEYS) ? await keysOf(reading, WITNESS_KEYS, "witness") : [];
  const given = trust.logKey ? await parseKey(trust.logKey, "log") : null;
  const checkpoint = await verifyCheckpoint(note, given ?? own[0]!);
  const wanted = trust.witnessKeys.length > 0 ? await Promise.all(trust.witnessKeys.map((key) => parseKey(key, "witness"))) : cosigners;
  const signed = parseNote(note);
  const found: { name: string; at: bigint }[] = [];
  for (const key of wanted) {
    const at = await cosignedAt(signed, key);
    if (at === null) throw new Fault(`checkpoint ${checkpoint.size.toLocaleString("en-US")}: it is not cosigned by ${key.name}`);
    found.push({ name: key.name, at });
  }
  if (own.length !== 1 || (given && encodeKey(own[0]!) !== encodeKey(given))) {
    throw new Fault(`${LOG_KEY}: it is not the one key that signed the checkpoint`);
  }
  await checkLines(note, own[0]!, cosigners);
  Object.assign(reading, { checkpoint, logKey: own[0]!, note, witnesses: found });
  const names = found.map((one) => one.name);
  const unsure = [...(given ? [] : ["key"]), ...(names.length > 0 && trust.witnessKeys.length === 0 ? ["key"] : [])];
  const told = `signed by ${checkpoint.origin}${names.length > 0 ? `, witnessed by ${names.join(" and ")}` : ""}`;
  const where = unsure.length > 0 ? ` (${unsure.length === 1 ? "key" : "keys"} from the ${bundle.from})` : "";
  return { checkpoint, told: told + where, trusted: trustedOf(reading, own[0]!, given !== null, names.length > 0) };
}

function trustedOf(reading: Reading, key: PublicKey, given: boolean, witnessed: boolean): string[] {
  const from = reading.bundle.from;
  return [
    ...(given ? [] : [`That ${key.name} (${hex(key.keyHash)}) is your log: its key came with the ${from}. Enter the key that you trust to check against it.`]),
    ...(witnessed && reading.trust.witnessKeys.length === 0 ? [`That the witnesses are who they say: their keys came with the ${from}.`] : []),
    ...(witnessed ? [] : ["That whoever holds the log's key shows everyone the same log: no witness has cosigned this checkpoint."]),
  ];
}

/** Every line below the checkpoint is by the log or by a witness that is named, and holds. */
async function checkLines(note: string, key: PublicKey, cosigners: readonly PublicKey[]): Promise<void> {
  const signed = parseNote(note);
  for (const cosigner of cosigners) {
    if ((await cosignedAt(signed, cosigner)) === null) {
      throw new Fault(`${WITNESS_KEYS}: ${cosigner.name} has not cosigned the checkpoint`);
    }
  }
  for (const line of signed.signatures) {
    const twice = signed.signatures.filter((one) => one.name === line.name && hex(one.keyHash) === hex(line.keyHash)).length > 1;
    if (twice || ![key, ...cosigners].some((known) => isBy(line, known))) {
      throw new Fault(`checkpoint: a signature by ${line.name} is of no key in ${LOG_KEY} or ${WITNESS_KEYS}, or is there twice`);
    }
  }
  if (encodeNote(signed) !== note) throw new Fault("checkpoint is not in its one spelling");
}

async function keysOf(reading: Reading, name: string, kind: PublicKey["kind"]): Promise<PublicKey[]> {
  const text = await memberText(reading.bundle, name);
  let keys: PublicKey[];
  try {
    keys = await Promise.all(text.split("\n").filter((line) => line !== "").map((line) => parseKey(line, kind)));
  } catch (thrown) {
    if (thrown instanceof NoteError) throw new Fault(`${name}: ${thrown.message}`);
    throw thrown;
  }
  if (keys.length === 0) throw new Fault(`${name} holds no key`);
  if (keys.map((key) => `${encodeKey(key)}\n`).join("") !== text) throw new Fault(`${name} is not in its one spelling`);
  return keys;
}
