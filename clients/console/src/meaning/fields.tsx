// Fields of the form. What is being written stays as it is written; the text behind it follows at each key.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly hidden?: boolean;
  readonly placeholder?: string;
  readonly mono?: boolean;
}

export function TextField({ label, value, change, hidden = false, placeholder = "", mono = false }: TextProps) {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <label class="field small">
      <span class={hidden ? "out-of-sight" : undefined}>{label}</span>
      <input type="text" class={mono ? "mono" : undefined} value={draft ?? value} placeholder={placeholder} spellcheck={!mono}
        onInput={(event) => { setDraft(event.currentTarget.value); change(event.currentTarget.value.trim()); }} onBlur={() => setDraft(null)} />
    </label>
  );
}

interface ListProps extends Omit<TextProps, "value" | "change"> {
  readonly values: readonly string[];
  readonly change: (values: string[]) => void;
}

/** Several words, with commas between them. */
export function ListField({ values, change, ...rest }: ListProps) {
  return <TextField {...rest} value={values.join(", ")} change={(text) => change(text.split(",").map((one) => one.trim()).filter(Boolean))} />;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, word: string])[];
  readonly change: (value: string) => void;
  readonly hidden?: boolean;
}

export function Choice({ label, value, choices, change, hidden = false }: ChoiceProps) {
  const known = choices.some(([one]) => one === value);
  return (
    <label class="field small">
      <span class={hidden ? "out-of-sight" : undefined}>{label}</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        {!known && <option value={value}>{value}</option>}
        {choices.map(([one, word]) => <option value={one}>{word}</option>)}
      </select>
    </label>
  );
}

export function Tick({ on, change, children }: { on: boolean; change: (on: boolean) => void; children: ComponentChildren }) {
  return <label class="row small tick"><input type="checkbox" checked={on} onChange={(event) => change(event.currentTarget.checked)} /><span>{children}</span></label>;
}

/** Mistakes that the mesh found in this part. */
export function Wrong({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return <ul class="wrong small" role="status">{messages.map((one) => <li class="breaks">{one}</li>)}</ul>;
}
