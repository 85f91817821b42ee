// Archives as `assay export` writes them: members sorted by name, stored as they are, every byte following from them.
import { type Bytes, same, textOf, utf8 } from "./bytes";
import { Members } from "./bundle";
import { Beyond, count, Fault } from "./fault";

const LOCAL = 30;
const CENTRAL = 46;
const END = 22;
const END_MARK = 0x06054b50;
const LONGEST_COMMENT = 65_535;
const [FLAGS_UTF8, DAY_ZERO, VERSION, UNIX, FILE_MODE] = [0x800, 33, 20, 3, 0o100644];

/** The bundle in an archive. Throws Fault, and Beyond for archives that are too large. */
export function openZip(name: string, bytes: Bytes): Members {
  const view = viewOf(bytes);
  const end = endOf(bytes);
  if (end < 0) throw new Fault(`${name} cannot be read as a zip archive`);
  const [listed, place] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
  if (listed === 0xffff || place === 0xffffffff) throw new Beyond("this page reads archives of less than 4 GB");
  const members = new Map<string, Bytes>();
  let [at, held] = [place, 0];
  for (let number = 0; number < listed; number++) {
    if (at + CENTRAL > end || view.getUint32(at, true) !== 0x02014b50) throw new Fault(`${name} cannot be read as a zip archive`);
    const sizes = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const member = textOf(bytes.subarray(at + CENTRAL, at + CENTRAL + sizes[0]!));
    if (member === null) throw new Fault(`${name} has a member whose name is not UTF-8 text`);
    if (members.has(member)) throw new Fault(`${member} is in ${name} twice`);
    const content = stored(bytes, view, at, member);
    members.set(member, content);
    held += content.length;
    at += CENTRAL + sizes[0]! + sizes[1]! + sizes[2]!;
  }
  if (held > bytes.length) throw new Fault(`the members of ${name} lie over one another`);
  return new Members(members, (bundle) => archiveFault(bundle, bytes));
}

function endOf(bytes: Bytes): number {
  const view = viewOf(bytes);
  for (let at = bytes.length - END; at >= Math.max(0, bytes.length - END - LONGEST_COMMENT); at--) {
    if (view.getUint32(at, true) === END_MARK) return at;
  }
  return -1;
}

function stored(bytes: Bytes, view: DataView, entry: number, name: string): Bytes {
  if (view.getUint16(entry + 10, true) !== 0) throw new Fault(`${name} is compressed, which Assay's bundles never are`);
  const [size, header] = [view.getUint32(entry + 24, true), view.getUint32(entry + 42, true)];
  if (size === 0xffffffff || header === 0xffffffff) throw new Beyond("this page reads archives of less than 4 GB");
  if (header + LOCAL > bytes.length) throw new Fault(`${name} is cut off`);
  const start = header + LOCAL + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
  if (start + size > bytes.length) throw new Fault(`${name} is cut off`);
  return bytes.slice(start, start + size);
}

/** Where an archive is not the one that its members give, or null. */
function archiveFault(bundle: Members, bytes: Bytes): string | null {
  const central: Uint8Array[] = [];
  let at = 0;
  const differs = (part: Uint8Array): boolean => {
    const right = same(bytes.subarray(at, at + part.length), part);
    if (right) at += part.length;
    return !right;
  };
  const fault = () => `the archive differs from its members at or after byte ${at.toLocaleString("en-US")}`;
  for (const name of bundle.names) {
    const content = bundle.at(name);
    const fields = fieldsOf(utf8(name), content);
    central.push(centralHeader(fields, at));
    if (differs(localHeader(fields)) || differs(content)) return fault();
  }
  const place = at;
  for (const header of central) if (differs(header)) return fault();
  if (differs(endRecord(central.length, at - place, place))) return fault();
  return at === bytes.length ? null : `${count(bytes.length - at, "byte")} stand behind the archive's end`;
}

interface Fields {
  readonly name: Bytes;
  readonly common: readonly (readonly [number, 2 | 4])[];
}

function fieldsOf(name: Bytes, content: Bytes): Fields {
  const flags = name.some((byte) => byte > 127) ? FLAGS_UTF8 : 0;
  const size = content.length;
  return { name, common: [[VERSION, 2], [flags, 2], [0, 2], [0, 2], [DAY_ZERO, 2], [crc32(content), 4], [size, 4], [size, 4], [name.length, 2], [0, 2]] };
}

function localHeader({ name, common }: Fields): Bytes {
  return written([[0x04034b50, 4], ...common], name);
}

function centralHeader({ name, common }: Fields, place: number): Bytes {
  const made: readonly [number, 2] = [VERSION | (UNIX << 8), 2];
  return written([[0x02014b50, 4], made, ...common, [0, 2], [0, 2], [0, 2], [FILE_MODE * 65_536, 4], [place, 4]], name);
}

function endRecord(members: number, size: number, place: number): Bytes {
  return written([[END_MARK, 4], [0, 2], [0, 2], [members, 2], [members, 2], [size, 4], [place, 4], [0, 2]], new Uint8Array(0));
}

function written(fields: readonly (readonly [number, 2 | 4])[], name: Uint8Array): Bytes {
  const size = fields.reduce((sum, [, width]) => sum + width, 0);
  const bytes = new Uint8Array(size + name.length);
  const view = viewOf(bytes);
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  bytes.set(name, size);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) value = TABLE[(value ^ bytes[at]!) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
