// The model as a form, a table at a time. It holds nothing itself: it reads the text, and writes into it.
import type { Look, TableLook } from "@gen/assay/common/v1/look_pb";
import { SemanticKind } from "@gen/assay/common/v1/look_pb";
import { useMemo, useState } from "preact/hooks";

import { KINDS } from "../look/words";
import { Choice, ListField, TextField, Tick, Wrong } from "./fields";
import { ColumnsForm } from "./form_columns";
import { JoinsForm } from "./form_joins";
import { MetricsForm } from "./form_metrics";
import { keysAt, type Path, type Plain, textAt, textsAt, type Tree } from "./tree";

export interface Form {
  readonly tree: Tree;
  readonly look: Look;
  readonly table: TableLook;
  /** Where the table is in the model. */
  readonly base: Path;
  readonly set: (path: Path, value: Plain) => void;
  readonly drop: (path: Path) => void;
  readonly rename: (path: Path, key: string) => void;
  /** What the mesh finds wrong at a path, or in what is within it. */
  readonly wrong: (path: Path, within?: boolean) => string[];
}

/** Kinds as a model says them; nothing leaves it to the data. */
export const KIND_CHOICES: readonly (readonly [string, string])[] = [
  ["", "from the data"],
  ...Object.values(KINDS).filter((one) => one.written).map((one) => [one.written, one.word] as const),
];

type Props = Omit<Form, "table" | "base">;

export function ModelForm({ look, ...rest }: Props) {
  const [name, setName] = useState("");
  const names = look.tables.map((one) => one.name);
  const table = look.tables.find((one) => one.name === name) ?? look.tables[0];
  const written = keysAt(rest.tree, ["tables"]);
  const strangers = written.filter((one) => !names.some((known) => known.toLowerCase() === one.toLowerCase()));
  if (!table) return <p class="muted">There are no tables.</p>;
  const key = written.find((one) => one.toLowerCase() === table.name.toLowerCase()) ?? table.name;
  return (
    <div class="stack model-form">
      {look.tables.length > 1 && <Choice label="Table" value={table.name} choices={names.map((one) => [one, one] as const)} change={setName} />}
      {strangers.length > 0 && <p class="note warn small breaks">The model names {strangers.slice(0, 5).join(", ")}, which is not in the data.</p>}
      <TableForm key={table.name} {...rest} look={look} table={table} base={["tables", key]} />
    </div>
  );
}

function TableForm(form: Form) {
  const { tree, table, base, set, wrong } = form;
  const times = useMemo(() => timesOf(form), [form.look, table]);
  const words = (part: string) => ({ values: textsAt(tree, [...base, part]), change: (values: string[]) => set([...base, part], values) });
  return (
    <>
      <fieldset class="stack">
        <legend class="out-of-sight">Table {table.name}</legend>
        <Wrong messages={wrong(base)} />
        <ListField label="Synonyms (comma-separated)" placeholder="sales, order lines" {...words("synonyms")} />
        <TextField label="Description" value={textAt(tree, [...base, "description"])} change={(value) => set([...base, "description"], value)} />
        <div class="pair">
          <Choice label="Time column" value={textAt(tree, [...base, "time"])} choices={times} change={(value) => set([...base, "time"], value)} />
          <ListField label="Key columns (comma-separated)" placeholder={table.key.join(", ")} {...words("key")} />
        </div>
        <Wrong messages={[...wrong([...base, "time"]), ...wrong([...base, "key"]), ...wrong([...base, "synonyms"])]} />
        <Tick on={textAt(tree, [...base, "hidden"]) === "true"} change={(on) => set([...base, "hidden"], on ? "true" : "")}>Hide this table from questions</Tick>
      </fieldset>
      <MetricsForm {...form} />
      <JoinsForm {...form} />
      <ColumnsForm {...form} />
    </>
  );
}

/** Dates of its own, and of the tables that its rows refer to. */
function timesOf({ look, table }: Pick<Form, "look" | "table">): (readonly [string, string])[] {
  const own = table.columns.filter((one) => one.kind === SemanticKind.TIME).map((one) => one.name);
  const others = table.joins.flatMap((join) => (look.tables.find((one) => one.name === join.toTable)?.columns ?? [])
    .filter((one) => one.kind === SemanticKind.TIME).map((one) => `${join.toTable}.${one.name}`));
  return [["", "from the data"], ...[...new Set([...own, ...others])].map((one) => [one, one] as const)];
}
