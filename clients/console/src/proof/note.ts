// Signed notes, checkpoints and cosignatures (C2SP signed-note, tlog-checkpoint, tlog-cosignature v1), with Ed25519.
import { base64, type Bytes, hex, joined, same, sha256, unbase64, utf8 } from "./bytes";
import { Beyond } from "./fault";

const ED25519 = 1;
const COSIGNATURE = 4;
const KEY_HASH_BYTES = 4;
const TIME_BYTES = 8;
const LATEST = (1n << 63n) - 1n;
const PREFIX = "\u2014 ";

/** A note, checkpoint or key is malformed, or its signature does not hold. */
export class NoteError extends Error {}

export interface NoteSignature {
  readonly name: string;
  readonly keyHash: Bytes;
  readonly signature: Bytes;
}

export interface SignedNote {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: bigint;
  readonly root: Bytes;
}

/** The public key of a log or of a witness, with the name it signs under. */
export interface PublicKey {
  readonly name: string;
  readonly keyHash: Bytes;
  readonly public: Bytes;
  readonly kind: "log" | "witness";
}

export function parseNote(note: string): SignedNote {
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new NoteError("the note holds control characters");
  const cut = note.lastIndexOf("\n\n");
  const block = note.slice(cut + 2);
  if (cut < 0 || !block.endsWith("\n")) throw new NoteError("the note has no signature block after a blank line");
  return { text: `${note.slice(0, cut)}\n`, signatures: block.slice(0, -1).split("\n").map(parseSignature) };
}

export function encodeNote(note: SignedNote): string {
  const lines = note.signatures.map((one) => `${PREFIX}${one.name} ${base64(joined([one.keyHash, one.signature]))}\n`);
  return `${note.text}\n${lines.join("")}`;
}

function parseSignature(line: string): NoteSignature {
  if (!line.startsWith(PREFIX)) throw new NoteError("a signature line does not begin with an em dash and a space");
  const rest = line.slice(PREFIX.length);
  const cut = rest.indexOf(" ");
  const name = cut < 0 ? rest : rest.slice(0, cut);
  const decoded = decode(cut < 0 ? "" : rest.slice(cut + 1), "signature");
  if (decoded.length <= KEY_HASH_BYTES) throw new NoteError(`the signature by ${name} is too short`);
  return { name: keyName(name), keyHash: decoded.slice(0, KEY_HASH_BYTES), signature: decoded.slice(KEY_HASH_BYTES) };
}

export function parseCheckpoint(text: string): Checkpoint {
  if (!text.endsWith("\n")) throw new NoteError("the checkpoint does not end with a line feed");
  const lines = text.slice(0, -1).split("\n");
  if (lines.length < 3 || lines.some((line) => line === "")) {
    throw new NoteError("a checkpoint has an origin, a size and a root, one line each");
  }
  const [origin, size, root] = lines as [string, string, string];
  if (!/^(?:0|[1-9][0-9]*)$/.test(size)) throw new NoteError(`the size '${size}' is not a plain decimal number`);
  const decoded = decode(root, "root");
  if (decoded.length !== 32) throw new NoteError(`the root has ${decoded.length} bytes instead of 32`);
  return { origin, size: BigInt(size), root: decoded };
}

/** A key as people pass it on: name, key hash in hexadecimal, base64 of algorithm and key. */
export async function parseKey(text: string, kind: PublicKey["kind"]): Promise<PublicKey> {
  const [name, hash, material] = splitKey(text);
  const algorithm = kind === "log" ? ED25519 : COSIGNATURE;
  const decoded = decode(material, "key");
  if (decoded[0] !== algorithm || decoded.length !== 33) {
    throw new NoteError(`the key is not ${kind === "log" ? "an Ed25519 key" : "a key of type 04"}`);
  }
  const payload = joined([utf8(`${keyName(name)}\n`), decoded]);
  const keyHash = (await sha256(payload)).slice(0, KEY_HASH_BYTES);
  if (hex(keyHash) !== hash) throw new NoteError(`the key hash ${hash} does not belong to this key`);
  return { name, keyHash, public: decoded.slice(1), kind };
}

export function encodeKey(key: PublicKey): string {
  const algorithm = Uint8Array.of(key.kind === "log" ? ED25519 : COSIGNATURE);
  return `${key.name}+${hex(key.keyHash)}+${base64(joined([algorithm, key.public]))}`;
}

function splitKey(text: string): [string, string, string] {
  const first = text.indexOf("+");
  const second = text.indexOf("+", first + 1);
  if (first < 0 || second < 0) throw new NoteError("a verifier key is name+hash+key");
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

export function isBy(line: NoteSignature, key: PublicKey): boolean {
  return line.name === key.name && same(line.keyHash, key.keyHash);
}

/** The checkpoint in a note, once the log's signature on it holds. */
export async function verifyCheckpoint(note: string, key: PublicKey): Promise<Checkpoint> {
  const signed = parseNote(note);
  for (const line of own(signed, key)) await check(key, line.signature, utf8(signed.text));
  const checkpoint = parseCheckpoint(signed.text);
  if (checkpoint.origin !== key.name) throw new NoteError(`the checkpoint is of '${checkpoint.origin}', not of '${key.name}'`);
  return checkpoint;
}

/** When a witness cosigned, in seconds since 1970; null where it did not. Throws NoteError for a line that does not hold. */
export async function cosignedAt(note: SignedNote, key: PublicKey): Promise<bigint | null> {
  let latest: bigint | null = null;
  for (const line of note.signatures.filter((one) => isBy(one, key))) {
    if (line.signature.length <= TIME_BYTES) throw new NoteError(`the cosignature by ${key.name} has no time in it`);
    const seconds = new DataView(line.signature.buffer, line.signature.byteOffset, TIME_BYTES).getBigUint64(0);
    if (seconds > LATEST) throw new NoteError(`the cosignature by ${key.name} has no time in it`);
    await check(key, line.signature.slice(TIME_BYTES), utf8(`cosignature/v1\ntime ${seconds}\n${note.text}`));
    if (latest === null || seconds > latest) latest = seconds;
  }
  return latest;
}

function own(note: SignedNote, key: PublicKey): NoteSignature[] {
  const found = note.signatures.filter((line) => isBy(line, key));
  if (found.length === 0) throw new NoteError(`the note is not signed by ${key.name} (${hex(key.keyHash)})`);
  return found;
}

async function check(key: PublicKey, signature: Bytes, message: Bytes): Promise<void> {
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey("raw", key.public, { name: "Ed25519" }, false, ["verify"]);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "NotSupportedError") {
      throw new Beyond("this browser cannot check Ed25519 signatures; a newer one can");
    }
    throw new NoteError(`the signature by ${key.name} does not hold`);
  }
  if (!(await crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message))) {
    throw new NoteError(`the signature by ${key.name} does not hold`);
  }
}

function decode(text: string, what: string): Bytes {
  const decoded = unbase64(text);
  if (decoded === null) throw new NoteError(`the ${what} is not plain base64`);
  return decoded;
}

function keyName(name: string): string {
  if (name === "" || /[+\s\u001c-\u001f\u0085]/u.test(name)) {
    throw new NoteError(`the key name '${name}' is empty or holds a space or a plus`);
  }
  return name;
}
