// The first rows of a file's table, asked for when somebody wants to see them.
import { useState } from "preact/hooks";

import { files } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { InTrouble, Waiting } from "../parts/states";

export function FirstRows({ fileId, table }: { fileId: string; table: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>First rows</summary>
      {open && <Rows fileId={fileId} table={table} />}
    </details>
  );
}

function Rows({ fileId, table }: { fileId: string; table: string }) {
  const seen = useLoaded((signal) => files.previewFile({ fileId }, { signal }), [fileId]);
  if (seen.loading) return <Waiting />;
  const found = seen.value?.tables.find((one) => one.name === table) ?? (seen.value?.tables.length === 1 ? seen.value.tables[0] : undefined);
  if (!found) return <><InTrouble trouble={seen.trouble} again={seen.again} />{seen.value && <p class="muted">The file as it is has no table with this name.</p>}</>;
  const width = Math.max(0, ...found.rows.map((row) => row.cells.length));
  if (width === 0) return <p class="muted" role="status">Its first rows were not read in time. Ask for the columns that you want to see.</p>;
  return (
    <div class="stack tight">
      <div class="scroll" tabIndex={0} role="region" aria-label={`First rows of ${table}`}>
        <table class="table first-rows">
          <thead><tr>{found.columns.slice(0, width).map((column) => <th scope="col"><span class="breaks">{column.name}</span></th>)}</tr></thead>
          <tbody>{found.rows.map((row) => <tr>{row.cells.map((cell) => <td title={cell.text ?? "no value"}><span class="breaks">{cell.text ?? "—"}</span></td>)}</tr>)}</tbody>
        </table>
      </div>
      <p class="muted small">{found.columns.length > width && `The first ${width} columns. `}Preview only: these rows have no proof.</p>
    </div>
  );
}
