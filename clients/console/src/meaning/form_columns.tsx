// What columns mean, a few at a time.
import type { ColumnLook } from "@gen/assay/common/v1/look_pb";
import { useMemo, useState } from "preact/hooks";

import { matches } from "../look/columns";
import { KINDS } from "../look/words";
import { Pages, usePaged } from "../parts/paged";
import { told } from "../words/numbers";
import { Choice, ListField, TextField, Tick, Wrong } from "./fields";
import { type Form, KIND_CHOICES } from "./form";
import { keysAt, textAt, textsAt } from "./tree";

const PAGE = 12;

export function ColumnsForm(form: Form) {
  const { table } = form;
  const [words, setWords] = useState("");
  const columns = useMemo(() => table.columns.filter((one) => !one.formula), [table]);
  const found = useMemo(() => columns.filter((one) => matches(one, words)), [columns, words]);
  const paged = usePaged(found, PAGE, [table.name, words]);
  const written = keysAt(form.tree, [...form.base, "columns"]);
  return (
    <fieldset class="stack">
      <legend><h3>Columns of {table.name}</h3></legend>
      <Wrong messages={form.wrong([...form.base, "columns"])} />
      {columns.length > PAGE && (
        <label><span class="out-of-sight">Find a column</span>
          <input type="search" value={words} placeholder={`Find one of ${told(columns.length)} columns`} onInput={(event) => setWords(event.currentTarget.value)} /></label>
      )}
      <ul class="stack tight">
        {paged.shown.map((column) => <Column key={column.name} form={form} column={column} name={written.find((one) => one.toLowerCase() === column.name.toLowerCase()) ?? column.name} />)}
      </ul>
      <Pages paged={paged} of="columns" />
    </fieldset>
  );
}

function Column({ form: { tree, base, set, wrong }, column, name }: { form: Form; column: ColumnLook; name: string }) {
  const path = [...base, "columns", name];
  const text = (part: string) => ({ value: textAt(tree, [...path, part]), change: (value: string) => set([...path, part], value) });
  return (
    <li class="part stack tight">
      <p class="row apart"><strong class="breaks">{column.name}</strong><span class="muted small breaks">{KINDS[column.kind].word}{column.samples.length > 0 && `, such as ${column.samples[0]!.slice(0, 40)}`}</span></p>
      <div class="triple">
        <Choice label={`Kind of ${column.name}`} hidden choices={KIND_CHOICES} {...text("kind")} />
        <TextField label={`Unit of ${column.name}`} hidden placeholder="unit" {...text("unit")} />
        <ListField label={`Synonyms of ${column.name}`} hidden placeholder="synonyms" values={textsAt(tree, [...path, "synonyms"])} change={(values) => set([...path, "synonyms"], values)} />
      </div>
      <Tick on={textAt(tree, [...path, "hidden"]) === "true"} change={(on) => set([...path, "hidden"], on ? "true" : "")}>Hide {column.name} from questions</Tick>
      <Wrong messages={wrong(path, true)} />
    </li>
  );
}
