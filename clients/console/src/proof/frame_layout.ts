// How Arrow arrays lie in memory, as far as this page reads them; whatever else there is, it says so.
import { type Data, DataType, DateUnit, IntervalUnit, Precision, TimeUnit } from "apache-arrow";

import { Beyond, Fault } from "./fault";
import type { Json } from "./json";

const UNITS: Record<number, string> = {
  [TimeUnit.SECOND]: "s", [TimeUnit.MILLISECOND]: "ms", [TimeUnit.MICROSECOND]: "us", [TimeUnit.NANOSECOND]: "ns",
};
const FLOATS: Record<number, string> = { [Precision.HALF]: "halffloat", [Precision.SINGLE]: "float", [Precision.DOUBLE]: "double" };

/** A JSON value that is equal for types that differ only in layout. Throws Beyond. */
export function logicalType(type: DataType): Json {
  if (DataType.isDictionary(type)) return logicalType(type.dictionary as DataType);
  if (DataType.isNull(type)) return "null";
  if (DataType.isBool(type)) return "bool";
  if (DataType.isInt(type)) return `${type.isSigned ? "" : "u"}int${type.bitWidth}`;
  if (DataType.isFloat(type)) return FLOATS[type.precision]!;
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return "string";
  if (DataType.isBinary(type) || DataType.isLargeBinary(type)) return "binary";
  if (DataType.isFixedSizeBinary(type)) return `fixed_size_binary[${type.byteWidth}]`;
  if (DataType.isDecimal(type)) return named(type.bitWidth === 256 ? "decimal256" : "decimal", [BigInt(type.precision), BigInt(type.scale)]);
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? "date32[day]" : "date64[ms]";
  if (DataType.isTime(type)) return `time${type.bitWidth}[${UNITS[type.unit]}]`;
  if (DataType.isTimestamp(type)) return named("timestamp", [UNITS[type.unit]!, type.timezone ?? null]);
  if (DataType.isDuration(type)) return `duration[${UNITS[type.unit]}]`;
  if (DataType.isInterval(type) && type.unit === IntervalUnit.MONTH_DAY_NANO) return "month_day_nano_interval";
  return nestedType(type);
}

function nestedType(type: DataType): Json {
  if (DataType.isList(type) || DataType.isLargeList(type)) return named("list", logicalType(type.valueType));
  if (DataType.isFixedSizeList(type)) {
    return new Map<string, Json>([["list", logicalType(type.valueType)], ["size", BigInt(type.listSize)]]);
  }
  if (DataType.isMap(type)) {
    const [key, item] = (type.children[0]!.type as DataType).children;
    return named("map", [logicalType(key!.type), logicalType(item!.type)]);
  }
  if (DataType.isStruct(type)) return named("struct", type.children.map((field) => [field.name, logicalType(field.type)]));
  throw new Beyond(`this page does not read columns of type ${type}`);
}

function named(name: string, value: Json): Json {
  return new Map([[name, value]]);
}

/** Bytes of one value where all have as many; 0 for all other types. */
export function widthOf(type: DataType): number {
  if (DataType.isInt(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) return 2 << type.precision;
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? 4 : 8;
  if (DataType.isTime(type)) return type.bitWidth / 8;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (DataType.isInterval(type)) return 16;
  return 0;
}

export function isBytes(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isBinary(type) || DataType.isLargeBinary(type);
}

/** Whether there is a value at a place of an array, as its validity says. */
export function valid(data: Data, at: number): boolean {
  if (DataType.isNull(data.type)) return false;
  const bits = data.nullBitmap;
  if (!bits || bits.length === 0) return true;
  const place = data.offset + at;
  return ((bits[place >> 3]! >> (place & 7)) & 1) === 1;
}

/** The raw bytes of an array's values. */
export function raw(data: Data): Uint8Array {
  const values = data.values as ArrayBufferView | undefined;
  return values ? new Uint8Array(values.buffer, values.byteOffset, values.byteLength) : new Uint8Array(0);
}

/** Where the values of a text, binary, list or map array begin and end; throws Fault where they cannot be there. */
export function bounds(data: Data, at: number, size: number): readonly [number, number] {
  const [from, to] = [Number(data.valueOffsets[at]), Number(data.valueOffsets[at + 1])];
  if (!(0 <= from && from <= to && to <= size)) throw new Fault("its offsets lead out of its values");
  return [from, to];
}

/**
 * Check that an array's buffers hold what its length says, whoever wrote it. `most` bounds what has no buffer at all.
 * Throws Fault.
 */
export function requireSound(data: Data, most: number): void {
  const type = data.type as DataType;
  const { length } = data;
  const bits = data.nullBitmap;
  const short = (bits && bits.length > 0 && bits.length * 8 < data.offset + length) || length > most;
  if (short || !holds(data, type, length)) throw new Fault("an array of it is shorter than it says");
  if (DataType.isDictionary(type)) for (const part of data.dictionary!.data) requireSound(part, most);
  else for (const child of data.children) requireSound(child, most);
}

function holds(data: Data, type: DataType, length: number): boolean {
  if (DataType.isNull(type)) return true;
  if (DataType.isDictionary(type)) return raw(data).length >= length * (type.indices.bitWidth / 8);
  if (DataType.isBool(type)) return raw(data).length * 8 >= length;
  if (DataType.isStruct(type)) return data.children.every((child) => child.length >= length);
  if (DataType.isFixedSizeList(type)) return data.children[0]!.length >= length * type.listSize;
  if (isBytes(type) || DataType.isList(type) || DataType.isLargeList(type) || DataType.isMap(type)) {
    return length === 0 || (data.valueOffsets as ArrayLike<unknown>).length > length;
  }
  return raw(data).length >= length * widthOf(type);
}
