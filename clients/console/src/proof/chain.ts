// The audit chain: every entry whole, and each carrying the hash of the one before it.
import { type Bytes, same, sha256Hex, textOf, utf8 } from "./bytes";
import { chainJson, type Json, type JsonObject, NotJson, parse } from "./json";

const GENESIS = "0".repeat(64);
const ID = /^[0-9a-f]{32}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const ACTOR = /^[a-z][a-z0-9_.-]{0,63}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;
export const EVENT_TYPES = [
  "request_submitted", "plan_created", "tool_called", "observation_recorded", "artifact_generated", "policy_decision",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface Entry {
  readonly entryId: string;
  readonly requestId: string;
  readonly number: bigint;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly eventType: EventType;
  readonly data: JsonObject;
  readonly actor: string;
  readonly hash: string;
}

/** What is no entry, or not written in its one form. */
export class NoEntry extends Error {}

/** The entry in an exported line, which is the tree's leaf byte for byte. Throws NoEntry. */
export function readLeaf(leaf: Bytes): Entry {
  const text = textOf(leaf);
  if (text === null) throw new NoEntry("it is not UTF-8 text");
  let value: Json;
  try {
    value = parse(text);
  } catch (thrown) {
    if (thrown instanceof NotJson) throw new NoEntry(`it is not JSON: ${thrown.message}`);
    throw thrown;
  }
  const entry = entryOf(value);
  if (!same(utf8(chainJson(value)), leaf)) throw new NoEntry("the entry is not written in canonical form");
  return entry;
}

function entryOf(value: Json): Entry {
  if (!(value instanceof Map)) throw new NoEntry("it is not an object");
  const text = (key: string, fits: (found: string) => boolean): string => {
    const found = value.get(key);
    if (typeof found !== "string" || !fits(found)) throw new NoEntry(`its ${key} is not what it should be`);
    return found;
  };
  const [number, data] = [value.get("sequence_number"), value.get("event_data")];
  if (typeof number !== "bigint" || number < 1n) throw new NoEntry("its sequence_number is not what it should be");
  if (!(data instanceof Map)) throw new NoEntry("its event_data is not an object");
  const entry: Entry = {
    entryId: text("entry_id", (found) => ID.test(found)),
    requestId: text("request_id", (found) => ID.test(found)),
    number,
    parentHash: text("parent_hash", (found) => DIGEST.test(found)),
    timestamp: text("timestamp", isTime),
    eventType: text("event_type", (found) => (EVENT_TYPES as readonly string[]).includes(found)) as EventType,
    data,
    actor: text("actor", (found) => ACTOR.test(found)),
    hash: text("hash", (found) => DIGEST.test(found)),
  };
  if (value.size !== Object.keys(entry).length) throw new NoEntry("it has a field that entries do not have");
  return entry;
}

function isTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const time = new Date(`${text.slice(0, 19)}Z`); // a day that is none becomes another, or no time
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19);
}

export function entryHash(entry: Entry): Promise<string> {
  return sha256Hex(utf8(`${entry.parentHash}${entry.timestamp}${entry.eventType}${chainJson(entry.data)}`));
}

/** What is wrong with an entry behind those before it, or null. */
export async function entryFault(entry: Entry, before: readonly Entry[]): Promise<string | null> {
  const requestId = before[0]?.requestId ?? entry.requestId;
  const parent = before.at(-1)?.hash ?? GENESIS;
  if (entry.requestId !== requestId) return `it belongs to request ${entry.requestId}, the chain to ${requestId}`;
  if (entry.number !== BigInt(before.length + 1)) return `it says it is entry ${entry.number}`;
  if (entry.parentHash !== parent) return `its parent hash is ${entry.parentHash}, the entry before it has ${parent}`;
  const computed = await entryHash(entry);
  return entry.hash === computed ? null : `its hash is ${entry.hash}, its content gives ${computed}`;
}
