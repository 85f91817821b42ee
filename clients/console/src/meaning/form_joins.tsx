// Joins: which rows belong together, as inferred from the data and as declared in the model.
import { useState } from "preact/hooks";

import { percent } from "../look/words";
import { Choice, Wrong } from "./fields";
import { type Form } from "./form";
import { at, type Plain, plainOf } from "./tree";

interface Said {
  readonly to: string;
  readonly on: readonly (readonly [string, string])[];
}

export function JoinsForm(form: Form) {
  const { base, table, look } = form;
  const said = saidAt(form, "joins");
  const denied = saidAt(form, "no_joins");
  const seen = table.joins.filter((join) => ![...said, ...denied].some((one) => is(one, join.toTable) && one.on.some(([own]) => own.toLowerCase() === join.column.toLowerCase())));
  const write = (part: "joins" | "no_joins", joins: readonly Said[]) => form.set([...base, part], joins.map(plain));
  if (look.tables.length < 2) return null;
  return (
    <fieldset class="stack">
      <legend><h3>Joins of {table.name}</h3></legend>
      <Wrong messages={[...form.wrong([...base, "joins"], true), ...form.wrong([...base, "no_joins"], true)]} />
      <ul class="stack tight">
        {said.map((one, place) => (
          <li class="row apart part"><span class="breaks">{inWords(one)}</span>
            <button type="button" class="button plain little" onClick={() => write("joins", said.filter((_, other) => other !== place))}>Remove<span class="out-of-sight"> the join to {one.to}</span></button></li>
        ))}
        {denied.map((one, place) => (
          <li class="row apart part"><span class="breaks"><strong>no join:</strong> {inWords(one)}</span>
            <button type="button" class="button plain little" onClick={() => write("no_joins", denied.filter((_, other) => other !== place))}>Remove<span class="out-of-sight"> it</span></button></li>
        ))}
        {seen.map((join) => {
          const one: Said = { to: join.toTable, on: [[join.column, join.toColumn], ...join.further.map((more) => [more.column, more.toColumn] as const)] };
          return (
            <li class="row apart part seen"><span class="breaks">{inWords(one)} <span class="muted small">{join.declared ? "declared" : "inferred"}{join.matched !== undefined && `, ${percent(join.matched)} of values matched`}</span></span>
              {!join.declared && <span class="row">
                <button type="button" class="button little" onClick={() => write("joins", [...said, one])}>Confirm</button>
                <button type="button" class="button little" onClick={() => write("no_joins", [...denied, one])}>Not a join</button>
              </span>}</li>
          );
        })}
      </ul>
      <NewJoin form={form} add={(one) => write("joins", [...said, one])} />
    </fieldset>
  );
}

function NewJoin({ form: { table, look }, add }: { form: Form; add: (join: Said) => void }) {
  const [to, setTo] = useState("");
  const [own, setOwn] = useState("");
  const [other, setOther] = useState("");
  const columns = look.tables.find((one) => one.name === to)?.columns ?? [];
  const listed = (names: readonly { name: string; formula: string }[], none: string) => [["", none], ...names.filter((one) => !one.formula).map((one) => [one.name, one.name] as const)] as (readonly [string, string])[];
  return (
    <form class="part stack" onSubmit={(event) => { event.preventDefault(); add({ to, on: [[own, other]] }); setOwn(""); setOther(""); setTo(""); }}>
      <div class="triple">
        <Choice label="Column" value={own} choices={listed(table.columns, "choose")} change={setOwn} />
        <Choice label="Joined table" value={to} choices={[["", "choose"], ...look.tables.filter((one) => one !== table).map((one) => [one.name, one.name] as const)]} change={(value) => { setTo(value); setOther(""); }} />
        <Choice label="Joined column" value={other} choices={listed(columns, "choose")} change={setOther} />
      </div>
      <p><button class="button little" disabled={!to || !own || !other}>Add join</button></p>
    </form>
  );
}

function saidAt({ tree, base }: Form, part: string): Said[] {
  const node = at(tree, [...base, part]);
  if (node?.kind !== "list") return [];
  return node.items.flatMap((item) => {
    const found = plainOf(item);
    if (!(found instanceof Map)) return [];
    const on = found.get("on");
    return [{ to: String(found.get("to") ?? ""), on: on instanceof Map ? [...on].map(([own, other]) => [String(own), String(other)] as const) : [] }];
  });
}

function plain({ to, on }: Said): Plain {
  return new Map<string, Plain>([["to", to], ["on", new Map(on)]]);
}

function is(one: Said, table: string): boolean {
  return one.to.toLowerCase() === table.toLowerCase();
}

function inWords({ to, on }: Said): string {
  return on.map(([own, other]) => `${own} = ${to}.${other}`).join(" and ");
}
