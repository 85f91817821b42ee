// What checks have to work with, and how members are read.
import type { Table } from "apache-arrow";

import { type Bundle, memberHash, memberText } from "./bundle";
import { same, utf8 } from "./bytes";
import type { Entry } from "./chain";
import { Fault } from "./fault";
import { frameDigest } from "./frame_digest";
import { documentJson, type Json, type JsonObject, lineJson, member, NotJson, parse } from "./json";
import { frameMember, MANIFEST } from "./layout";
import type { PathStep } from "./merkle";
import type { Checkpoint, PublicKey } from "./note";
import type { Recorded } from "./recorded";

/** Keys from a place that the reader trusts; without them, those that came with the proof are believed. */
export interface Trust {
  readonly logKey: string;
  readonly witnessKeys: readonly string[];
}

/** Where an entry is in the tree, and the way to the root. */
export interface Place {
  readonly leafIndex: bigint;
  readonly leafHash: Uint8Array;
  readonly steps: readonly PathStep[];
}

/** A bundle and what was established of it so far. */
export interface Reading {
  readonly bundle: Bundle;
  readonly trust: Trust;
  leaves: Uint8Array[];
  entries: Entry[];
  recorded: Recorded | null;
  checkpoint: Checkpoint | null;
  logKey: PublicKey | null;
  note: string;
  witnesses: readonly { readonly name: string; readonly at: bigint }[];
  places: Place[];
  job: JsonObject;
  /** Rows by digest, once they were found to have it. */
  readonly frames: Map<string, Table>;
  listed: JsonObject | null;
}

export function begin(bundle: Bundle, trust: Trust): Reading {
  return {
    bundle, trust, leaves: [], entries: [], recorded: null, checkpoint: null, logKey: null, note: "", witnesses: [],
    places: [], job: new Map(), frames: new Map(), listed: null,
  };
}

/** SHA-256 and size of every member as the manifest has them. */
export async function listedOf(reading: Reading): Promise<JsonObject> {
  if (reading.listed === null) {
    const members = (await jsonObject(reading.bundle, MANIFEST)).get("members");
    if (!(members instanceof Map)) throw new Fault(`${MANIFEST} lists no members`);
    reading.listed = members;
  }
  return reading.listed;
}

/** A frame's rows, once they have its digest. Throws Fault, and Beyond where this page cannot read them. */
export async function soundFrame(reading: Reading, digest: string): Promise<Table> {
  const known = reading.frames.get(digest);
  if (known) return known;
  if (reading.bundle.from === "bundle") await requireListed(reading, digest);
  const rows = await reading.bundle.frame(digest);
  const actual = await frameDigest(rows);
  if (actual !== digest) throw new Fault(`frame ${digest.slice(0, 8)}: its rows have digest ${actual.slice(0, 12)}…`);
  reading.frames.set(digest, rows);
  return rows;
}

/** Strange bytes are not parsed: a frame's are those of the manifest. */
async function requireListed(reading: Reading, digest: string): Promise<void> {
  const name = frameMember(digest);
  const actual = await memberHash(reading.bundle, name);
  const listed = member((await listedOf(reading)).get(name), "sha256");
  if (listed === undefined) throw new Fault(`${name}: ${MANIFEST} does not list it`);
  if (actual !== listed) {
    throw new Fault(`${name}: its content has SHA-256 ${actual.slice(0, 12)}…, ${MANIFEST} says ${String(listed).slice(0, 12)}…`);
  }
}

/** A member that is a JSON object in its one spelling. */
export async function jsonObject(bundle: Bundle, name: string): Promise<JsonObject> {
  const value = parsed(name, await memberText(bundle, name), documentJson);
  if (!(value instanceof Map)) throw new Fault(`${name} is not an object`);
  return value;
}

export async function jsonArray(bundle: Bundle, name: string): Promise<Json[]> {
  const value = parsed(name, await memberText(bundle, name), documentJson);
  if (!Array.isArray(value)) throw new Fault(`${name} is not an array`);
  return value;
}

/** A member's lines, each in its one spelling. */
export async function jsonLines(bundle: Bundle, name: string): Promise<Json[]> {
  const lines = (await memberText(bundle, name)).split("\n");
  if (lines.pop() !== "") throw new Fault(`${name} does not end with a line feed`);
  return lines.map((line, at) => parsed(`${name}: line ${at + 1}`, `${line}\n`, lineJson));
}

/** A member is this value to the byte: `1`, `1.0` and `true` are equal for some who read them. */
export async function checkWritten(bundle: Bundle, name: string, value: Json): Promise<void> {
  if (!same(await bundle.content(name), utf8(documentJson(value)))) {
    throw new Fault(`${name} is not written as the chain records it`);
  }
}

function parsed(what: string, text: string, spelled: (value: Json) => string): Json {
  const twice: string[] = [];
  let value: Json;
  try {
    value = parse(text, (key) => twice.push(key));
  } catch (thrown) {
    if (thrown instanceof NotJson) throw new Fault(`${what} is not JSON: ${thrown.message}`);
    throw thrown;
  }
  if (!same(utf8(spelled(value)), utf8(text))) {
    const why = twice[0] === undefined ? "other bytes say the same" : `the key '${twice[0].slice(0, 60)}' is there twice`;
    throw new Fault(`${what} is not in its one spelling: ${why}`);
  }
  return value;
}
