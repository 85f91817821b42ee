// Rows of an Arrow stream.
import { tableFromIPC, type Table } from "apache-arrow";

import type { Bytes } from "./bytes";
import { Fault } from "./fault";

/** The table of a whole stream. Throws Fault for what is none. */
export function readArrow(name: string, bytes: Bytes): Table {
  let table: Table;
  try {
    table = tableFromIPC(bytes);
  } catch {
    throw new Fault(`${name}: The Arrow stream cannot be read as Arrow`);
  }
  if (table.schema.fields.length === 0 && bytes.length < 16) throw new Fault(`${name}: The Arrow stream cannot be read as Arrow`);
  return table;
}
