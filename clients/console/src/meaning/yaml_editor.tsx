// The model's text: highlighted, completed with the names of the data, mistakes at their lines.
import { autocompletion, type CompletionContext, type CompletionResult, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

import type { Mistake } from "./checking";

interface Props {
  readonly text: string;
  /** The newest text, which may be newer than the one that is drawn. */
  readonly newest: { readonly current: string };
  readonly change: (text: string) => void;
  readonly mistakes: readonly Mistake[];
  /** What can be completed: names of the data and words of the form. */
  readonly words: readonly string[];
  readonly shown: (view: EditorView) => void;
}

export function YamlEditor({ text, newest, change, mistakes, words, shown }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ change, words });
  latest.current = { change, words };
  useEffect(() => {
    const root = place.current!.attachShadow({ mode: "open" }); // styles made by scripts are allowed in there alone
    const made = new EditorView({ parent: root, root, state: EditorState.create({ doc: text, extensions: extensions(latest) }) });
    made.scrollDOM.tabIndex = 0; // it scrolls by keys, too
    view.current = made;
    shown(made);
    return () => made.destroy();
  }, []);
  useEffect(() => {
    if (view.current) follow(view.current, newest.current);
  }, [text]);
  useEffect(() => {
    if (view.current) view.current.dispatch(setDiagnostics(view.current.state, mistakes.map((one) => diagnostic(view.current!.state, one))));
  }, [mistakes]);
  return <div class="yaml" ref={place} />;
}

function extensions(latest: { current: Pick<Props, "change" | "words"> }) {
  return [
    lineNumbers(), history(), highlightActiveLine(), highlightSpecialChars(), yaml(), lintGutter(), EditorView.lineWrapping,
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    autocompletion({ override: [(context) => completed(context, latest.current.words)], icons: false }),
    syntaxHighlighting(COLOURS), LOOKS,
    EditorView.contentAttributes.of({ "aria-label": "The semantic model as YAML", spellcheck: "false" }),
    EditorView.updateListener.of((update) => { if (update.docChanged) latest.current.change(update.state.doc.toString()); }),
  ];
}

/** Take over a text of elsewhere: only what differs changes, so that the cursor stays and undo works. */
function follow(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  let from = 0;
  while (from < before.length && before[from] === text[from]) from++;
  let end = 0;
  while (end < before.length - from && end < text.length - from && before.at(-1 - end) === text.at(-1 - end)) end++;
  view.dispatch({ changes: { from, to: before.length - end, insert: text.slice(from, text.length - end) }, selection: { anchor: from } });
  view.scrollDOM.scrollTop = view.lineBlockAt(from).top - view.scrollDOM.clientHeight / 2; // the page itself stays where it is
}

function diagnostic(state: EditorState, { line, column, message }: Mistake): Diagnostic {
  const row = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  const from = Math.min(row.from + Math.max(0, column - 1), row.to);
  return { from, to: Math.max(from, row.to), severity: "error", message };
}

function completed(context: CompletionContext, words: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/[\p{L}\p{N}_ ]*[\p{L}\p{N}_]/u);
  if (!word && !context.explicit) return null;
  const last = context.matchBefore(/[\p{L}\p{N}_]+/u);
  return { from: last?.from ?? context.pos, options: words.map((label) => ({ label })), validFor: /^[\p{L}\p{N}_]*$/u };
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--accent)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--muted)" },
]);

const LOOKS = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "0.87rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "0" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "8px", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--accent-strong)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
});
