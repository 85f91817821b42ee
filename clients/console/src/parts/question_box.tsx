// The box for questions: names and values of the data are offered while one types (WAI-ARIA combobox pattern).
import { useEffect, useId, useState } from "preact/hooks";

import { draftAt } from "../mesh/kept";
import { completed, completions, type Word } from "../mesh/vocabulary";
import { told } from "../words/numbers";

/** Characters; a longer question is refused by the mesh. */
const LONGEST = 2000;

interface Props {
  readonly label: string;
  /** The path of its page: what is typed is kept for that. */
  readonly page: string;
  readonly placeholder: string;
  readonly busy?: boolean;
  readonly say: (words: string) => void;
}

export function QuestionBox({ label, page, placeholder, busy = false, say }: Props) {
  const id = useId();
  const draft = draftAt(page);
  const words = draft.value;
  const [chosen, setChosen] = useState(-1);
  const [shut, setShut] = useState(false);
  useEffect(() => void learn().catch(() => undefined), []); // without names one can still ask
  const tooLong = words.length > LONGEST;
  const offered = shut || tooLong ? [] : completions(words);

  function take(word: Word): void {
    draft.value = completed(words, word);
    setChosen(-1);
  }

  function ask(): void {
    if (busy || tooLong || !words.trim()) return;
    draft.value = "";
    say(words);
    setChosen(-1);
  }

  function key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const word = offered[chosen];
      if (word) take(word);
      else ask();
    } else if (event.key === "Tab" && offered.length > 0 && !event.shiftKey) {
      event.preventDefault();
      take(offered[Math.max(chosen, 0)]!);
    } else if (event.key === "Escape") {
      setShut(true);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && offered.length > 0) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setChosen((before) => (before + step + offered.length) % offered.length);
    }
  }

  return (
    <form class="question" onSubmit={(event) => { event.preventDefault(); ask(); }}>
      <label class="out-of-sight" for={id}>{label}</label>
      <input type="text" id={id} autocomplete="off" value={words} placeholder={placeholder} role="combobox" aria-autocomplete="list" aria-invalid={tooLong}
        aria-expanded={offered.length > 0} aria-controls={`${id}-words`} aria-activedescendant={chosen >= 0 && offered[chosen] ? `${id}-${chosen}` : undefined}
        onInput={(event) => { draft.value = event.currentTarget.value; setShut(false); setChosen(-1); }} onKeyDown={key} onBlur={() => setShut(true)} />
      <button class="button first" disabled={busy || tooLong || !words.trim()}>{busy ? "Working…" : "Ask"}</button>
      {tooLong && <p class="note warn too-long" role="alert">This has {told(words.length)} characters; a question can have at most {told(LONGEST)}. Shorten it; the whole text is still in the box.</p>}
      <ul id={`${id}-words`} role="listbox" aria-label="Names and values in your data" class="words-offered" hidden={offered.length === 0}>
        {offered.map((word, at) => (
          <li id={`${id}-${at}`} role="option" aria-selected={at === chosen} onMouseDown={(event) => { event.preventDefault(); take(word); }}>
            <span class="breaks">{word.text}</span><span class="muted small breaks">{word.about}</span>
          </li>
        ))}
      </ul>
    </form>
  );
}

async function learn(): Promise<void> {
  await (await import("../mesh/learning_words")).learnWords();
}
