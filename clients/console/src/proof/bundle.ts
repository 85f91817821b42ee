// Where checks read from: the members of a bundle that was dropped in, or what a mesh hands out of a job, by the same names.
import type { Table } from "apache-arrow";

import { readArrow } from "./arrow";
import { type Bytes, sha256Hex, textOf } from "./bytes";
import { Fault } from "./fault";
import { byCodePoint } from "./json";
import { frameMember } from "./layout";

export interface Bundle {
  /** Who is believed where nobody gave a key. */
  readonly from: "bundle" | "mesh";
  /** Every member, sorted; of a mesh, those that it handed out so far. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** A member's bytes. Throws Fault where there is none. */
  content(name: string): Promise<Bytes>;
  /** A frame's rows as they came, not yet held against their digest. Throws Fault. */
  frame(digest: string): Promise<Table>;
  /** Where the archive is not what its members alone would give, or null. */
  archiveFault(): Promise<string | null>;
}

export class Members implements Bundle {
  readonly from = "bundle";
  readonly names: readonly string[];

  constructor(
    private readonly members: ReadonlyMap<string, Bytes>,
    private readonly compared: (bundle: Members) => string | null = () => null,
  ) {
    this.names = [...members.keys()].sort(byCodePoint);
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  at(name: string): Bytes {
    const found = this.members.get(name);
    if (!found) throw new Fault(`${name} is not in the bundle`);
    return found;
  }

  async content(name: string): Promise<Bytes> {
    return this.at(name);
  }

  async frame(digest: string): Promise<Table> {
    const name = frameMember(digest);
    return readArrow(name, this.at(name));
  }

  async archiveFault(): Promise<string | null> {
    return this.compared(this);
  }
}

export async function memberText(bundle: Bundle, name: string): Promise<string> {
  const text = textOf(await bundle.content(name));
  if (text === null) throw new Fault(`${name} is not UTF-8 text`);
  return text;
}

export async function memberHash(bundle: Bundle, name: string): Promise<string> {
  return sha256Hex(await bundle.content(name));
}
