// Form and text side by side, with what the mesh says of them, and what becomes of them.
import type { EditorView } from "@codemirror/view";
import type { Look } from "@gen/assay/common/v1/look_pb";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Data } from "../look/asking";
import { KINDS } from "../look/words";
import { Icon } from "../parts/icons";
import { InTrouble } from "../parts/states";
import { count } from "../words/numbers";
import { type Checked, type Mistake, useChecked } from "./checking";
import { ModelForm } from "./form";
import { Keeping } from "./keeping";
import { type Path, pathAt, type Plain, treeOf } from "./tree";
import { put, renamed, without } from "./writing";
import { YamlEditor } from "./yaml_editor";

interface Props {
  readonly data: Data;
  readonly look: Look;
  /** The stored model, or the one read from the data: edits are compared with it. */
  readonly base: string;
  readonly stored: boolean;
  readonly text: string;
  readonly proposed: () => void;
  readonly again: () => void;
}

export function draftKey(data: Data): string {
  return `assay.model.${data.name || data.sessionId}`;
}

const FORM_WORDS = ["tables", "columns", "metrics", "joins", "no_joins", "synonyms", "description", "formula", "kind", "unit", "values", "hidden", "time", "key", "to", "on", "fiscal_year_starts", "repairs"];
const MOST_WORDS = 20_000;

export function ModelEditor({ data, look, base: first, stored, text: begun, proposed, again }: Props) {
  const [base, setBase] = useState(first);
  const [text, setText] = useState(begun);
  const latest = useRef(text);
  const editor = useRef<EditorView | null>(null);
  const checked = useChecked(data, text);
  const tree = useMemo(() => treeOf(text), [text]);
  const words = useMemo(() => [...new Set([...FORM_WORDS, ...Object.values(KINDS).map((one) => one.written).filter(Boolean), ...look.tables.flatMap((one) => [one.name, ...one.columns.map((column) => column.name)])])].slice(0, MOST_WORDS), [look]);
  useEffect(() => (text === base ? sessionStorage.removeItem(draftKey(data)) : sessionStorage.setItem(draftKey(data), text)), [text, base]);

  function change(next: string): void {
    latest.current = next;
    setText(next);
  }
  const now = () => treeOf(latest.current);
  const wrongs = useMemo(() => checked.mistakes.map((one) => ({ path: pathAt(tree, placeOf(text, one)), message: one.message })), [checked.mistakes, tree]);
  const form = {
    tree,
    look: checked.look ?? look,
    set: (path: Path, value: Plain) => change(value === "" || (Array.isArray(value) && value.length === 0) ? without(now(), path) : put(now(), path, value)),
    drop: (path: Path) => change(without(now(), path)),
    rename: (path: Path, key: string) => change(renamed(now(), path, key)),
    wrong: (path: Path, within = false) => wrongs.filter((one) => (within || one.path.length === path.length) && path.every((key, at) => one.path[at] === key)).map((one) => one.message),
  };
  return (
    <section class="stack" aria-labelledby="semantic-model">
      <h2 class="out-of-sight" id="semantic-model">Semantic model</h2>
      <p class="muted">{stored || base !== first ? "This model is saved with the source." : "This model was read from the data; loaded as it is, it changes nothing."} Add what the data cannot show: names, units, metrics, joins.</p>
      <div class="model">
        <div class="card">{tree.broken < 0 ? <ModelForm {...form} /> : <p class="note warn">The text is not valid YAML from line {lineOf(text, tree.broken)} on. The form returns once it is.</p>}</div>
        <div class="yaml-side">
          <YamlEditor text={text} newest={latest} change={change} mistakes={checked.mistakes} words={words} shown={(view) => (editor.current = view)} />
          <State checked={checked} goTo={(one) => goTo(editor.current, text, one)} />
        </div>
      </div>
      <Keeping data={data} text={text} base={base} checked={checked} change={change} proposed={proposed} kept={() => { setBase(text); again(); }} />
    </section>
  );
}

function State({ checked, goTo }: { checked: Checked; goTo: (mistake: Mistake) => void }) {
  return (
    <div class="stack tight" role="status">
      {checked.state === "checking" && <p class="row small muted"><Icon name="wait" turns />Checking against the data…</p>}
      {checked.state === "fits" && <p class="row small fits-well"><Icon name="done" />The model fits the data.</p>}
      {checked.state === "wrong" && (
        <div class="note bad small"><p><strong>{count(checked.mistakes.length, "error")}</strong></p>
          <ul>{checked.mistakes.map((one) => <li class="breaks"><button type="button" class="to-line" onClick={() => goTo(one)}>Line {one.line}</button> {one.message}</li>)}</ul></div>
      )}
      {checked.state === "trouble" && <InTrouble trouble={checked.trouble} />}
    </div>
  );
}

function goTo(view: EditorView | null, text: string, mistake: Mistake): void {
  view?.dispatch({ selection: { anchor: placeOf(text, mistake) }, scrollIntoView: true });
  view?.focus();
}

function placeOf(text: string, { line, column }: Mistake): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}

function lineOf(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}
