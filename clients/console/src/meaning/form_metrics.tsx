// Metrics: numbers that are computed, each by a formula; with what it gives, once it fits.
import { useState } from "preact/hooks";

import { isComputed, rangeOf } from "../look/words";
import { told } from "../words/numbers";
import { Choice, ListField, TextField, Wrong } from "./fields";
import { type Form } from "./form";
import { keysAt, textAt, textsAt } from "./tree";

const SUMS: readonly (readonly [string, string])[] = [["", "amount"], ["level", "level"], ["intensive", "rate"]];

export function MetricsForm(form: Form) {
  const { tree, base, table } = form;
  const [name, setName] = useState("");
  const [formula, setFormula] = useState("");
  const [round, setRound] = useState(0);
  const names = keysAt(tree, [...base, "metrics"]);
  const taken = names.some((one) => one.toLowerCase() === name.toLowerCase());

  function add(event: Event): void {
    event.preventDefault();
    form.set([...base, "metrics", name.trim()], new Map([["formula", formula.trim()]]));
    setName("");
    setFormula("");
    setRound(round + 1);
  }

  return (
    <fieldset class="stack">
      <legend><h3>Metrics of {table.name}</h3></legend>
      <Wrong messages={form.wrong([...base, "metrics"])} />
      {names.map((one) => <Metric key={one} form={form} name={one} />)}
      <form class="stack part" onSubmit={add}>
        <div class="pair" key={round}>
          <TextField label="New metric" placeholder="net revenue" value={name} change={setName} />
          <TextField label="Formula of the new metric" mono placeholder="quantity * price" value={formula} change={setFormula} />
        </div>
        {taken && name && <p class="small muted">A metric with this name already exists.</p>}
        <p><button class="button little" disabled={!name || !formula || taken}>Add metric</button></p>
      </form>
    </fieldset>
  );
}

function Metric({ form, name }: { form: Form; name: string }) {
  const { tree, base, set } = form;
  const path = [...base, "metrics", name];
  const text = (part: string) => ({ value: textAt(tree, [...path, part]), change: (value: string) => set([...path, part], value) });
  const seen = form.table.columns.find((one) => one.formula && one.name.toLowerCase() === name.toLowerCase());
  const range = seen && isComputed(seen) ? rangeOf(seen) : null;
  return (
    <div class="stack part">
      <div class="pair">
        <TextField label="Name" value={name} change={(value) => value && value !== name && !keysAt(tree, [...base, "metrics"]).includes(value) && form.rename(path, value)} />
        <TextField label="Formula" mono value={textAt(tree, [...path, "formula"])} change={(value) => set([...path, "formula"], value || " ")} />
      </div>
      <div class="triple">
        <Choice label="Kind" choices={SUMS} {...text("kind")} />
        <TextField label="Unit" placeholder="EUR" {...text("unit")} />
        <ListField label="Synonyms" placeholder="turnover, sales" values={textsAt(tree, [...path, "synonyms"])} change={(values) => set([...path, "synonyms"], values)} />
      </div>
      <Wrong messages={form.wrong(path, true)} />
      <p class="row apart small">
        <span class="muted breaks">{range ? `Measured: ${range[0]} to ${range[1]}${seen!.mean === undefined ? "" : `, mean ${told(Number(seen!.mean.toPrecision(4)))}`}` : ""}</span>
        <button type="button" class="button plain little" onClick={() => form.drop(path)}>Remove<span class="out-of-sight"> {name}</span></button>
      </p>
    </div>
  );
}
