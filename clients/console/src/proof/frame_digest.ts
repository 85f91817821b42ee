// The canonical form of a table and its SHA-256, as mesh/frames/canonical.py defines it: equal for equal rows, however
// they are cut, encoded or laid out.
import { type Data, DataType, type Table } from "apache-arrow";

import { type Bytes, hex, joined, sha256, utf8 } from "./bytes";
import { Beyond, Fault } from "./fault";
import { bounds, isBytes, logicalType, raw, requireSound, valid, widthOf } from "./frame_layout";
import { canonicalJson, type Json } from "./json";

const DOMAIN = "assay.frame.v1\n";
const ABSENT = -1;
const MOST_ROWS = 1 << 26; // of one array; a browser's memory ends before

/** Which places of an array are taken, in order; ABSENT for a null of an outer encoding. */
interface Part {
  readonly data: Data;
  readonly places: Int32Array;
}

/** SHA-256 of the logical table, as 64 hexadecimal digits. Throws Beyond for types that this page does not read. */
export async function frameDigest(table: Table): Promise<string> {
  const columns = table.schema.fields.map((field): Json => new Map<string, Json>([["name", field.name], ["type", logicalType(field.type)]]));
  const about = canonicalJson(new Map<string, Json>([["rows", BigInt(table.numRows)], ["columns", columns]]));
  const nodes: Bytes[] = [];
  for (let at = 0; at < columns.length; at++) {
    const parts = table.batches.filter((batch) => batch.numRows > 0).map((batch) => all(batch.data.children[at]!));
    nodes.push(await nodeDigest(parts));
  }
  return hex(await sha256(joined([utf8(DOMAIN + about), ...nodes])));
}

function all(data: Data): Part {
  if (data.offset !== 0) throw new Beyond("a column is a part of another one");
  if (data.length > MOST_ROWS) throw new Beyond("it has more rows than this page reads");
  requireSound(data, MOST_ROWS);
  return { data, places: Int32Array.from({ length: data.length }, (_, at) => at) };
}

/** The digest of one level of a column: its nulls, lengths and values, and the levels below. */
async function nodeDigest(given: readonly Part[]): Promise<Bytes> {
  const parts = given.map(decoded);
  const [nulls, lengths, values] = [[] as number[], [] as number[], [] as Uint8Array[]];
  const children: Part[][] = [];
  let rows = 0;
  for (const part of parts) {
    const present = part.places.filter((at) => at !== ABSENT && valid(part.data, at));
    if (present.length < part.places.length) {
      part.places.forEach((at, place) => {
        if (at === ABSENT || !valid(part.data, at)) nulls.push(rows + place);
      });
    }
    rows += part.places.length;
    below(part.data, present, lengths, values).forEach((child, at) => (children[at] ??= []).push(child));
  }
  const digests = [];
  for (const child of children) digests.push(await nodeDigest(child));
  const counts = int64s([rows, nulls.length]);
  const own = [await sha256(int64s(nulls)), await sha256(int64s(lengths)), await sha256(joined(values))];
  return sha256(joined([counts, ...own, ...digests]));
}

/** Take in values of which none is null; what the level below gets. */
function below(data: Data, places: Int32Array, lengths: number[], values: Uint8Array[]): Part[] {
  const type = data.type as DataType;
  if (DataType.isNull(type)) return [];
  if (DataType.isStruct(type)) return data.children.map((child) => ({ data: child, places }));
  if (DataType.isFixedSizeList(type)) {
    const size = type.listSize;
    return [{ data: data.children[0]!, places: Int32Array.from({ length: places.length * size }, (_, at) => places[Math.floor(at / size)]! * size + (at % size)) }];
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) return [{ data: data.children[0]!, places: items(data, places, lengths) }];
  if (DataType.isMap(type)) {
    const inside = items(data, places, lengths);
    return data.children[0]!.children.map((child) => ({ data: child, places: inside }));
  }
  if (isBytes(type)) addBytes(data, places, lengths, values);
  else if (DataType.isBool(type)) values.push(Uint8Array.from(places, (at) => (raw(data)[at >> 3]! >> (at & 7)) & 1));
  else values.push(fixed(data, type, places));
  return [];
}

function items(data: Data, places: Int32Array, lengths: number[]): Int32Array {
  const found: number[] = [];
  for (const at of places) {
    const [from, to] = bounds(data, at, data.children[0]!.length);
    lengths.push(to - from);
    for (let item = from; item < to; item++) found.push(item);
  }
  return Int32Array.from(found);
}

function addBytes(data: Data, places: Int32Array, lengths: number[], values: Uint8Array[]): void {
  const held = raw(data);
  for (const at of places) {
    const [from, to] = bounds(data, at, held.length);
    lengths.push(to - from);
    if (to > from) values.push(held.subarray(from, to));
  }
}

function fixed(data: Data, type: DataType, places: Int32Array): Uint8Array {
  const [width, held] = [widthOf(type), raw(data)];
  if (width === 0) throw new Beyond(`this page does not read columns of type ${type}`);
  const taken = new Uint8Array(places.length * width);
  places.forEach((at, place) => {
    if ((at + 1) * width > held.length) throw new Fault("it has fewer values than rows");
    for (let byte = 0; byte < width; byte++) taken[place * width + byte] = held[at * width + byte]!;
  });
  return DataType.isFloat(type) ? oneNan(taken, width) : taken;
}

/** Every NaN is the same value. */
function oneNan(bytes: Uint8Array, width: number): Uint8Array {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += width) {
    if (width === 8 && Number.isNaN(view.getFloat64(at, true))) view.setBigUint64(at, 0x7ff8000000000000n, true);
    if (width === 4 && Number.isNaN(view.getFloat32(at, true))) view.setUint32(at, 0x7fc00000, true);
    if (width === 2 && (view.getUint16(at, true) & 0x7fff) > 0x7c00) view.setUint16(at, 0x7e00, true);
  }
  return bytes;
}

/** A dictionary's values in place of their numbers. */
function decoded(part: Part): Part {
  if (!DataType.isDictionary(part.data.type)) return part;
  const { data } = part;
  const [held, more] = data.dictionary!.data;
  if (!held || more) throw new Beyond("a column has its values in several dictionaries");
  const keys = data.values as ArrayLike<number | bigint>;
  const places = part.places.map((at) => (at === ABSENT || !valid(data, at) ? ABSENT : Number(keys[at])));
  if (places.some((at) => at >= held.length || at < ABSENT)) throw new Fault("a value is not in its dictionary");
  return decoded({ data: held, places });
}

function int64s(numbers: readonly number[]): Bytes {
  const bytes = new Uint8Array(numbers.length * 8);
  const view = new DataView(bytes.buffer);
  numbers.forEach((number, at) => view.setBigInt64(at * 8, BigInt(number), true));
  return bytes;
}
