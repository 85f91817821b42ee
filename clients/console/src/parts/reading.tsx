// How a question was read: each part a chip that can be changed in place. A change is a follow-up with its own proof.
import { type Binding, BindingKind, type Proposal } from "@gen/assay/common/v1/proposals_pb";
import { useRef, useState } from "preact/hooks";

const NAMES: Partial<Record<BindingKind, string>> = {
  [BindingKind.COLUMN]: "column",
  [BindingKind.VALUE]: "filter",
  [BindingKind.UNIT]: "unit",
  [BindingKind.CALENDAR]: "period",
  [BindingKind.FORMULA]: "formula",
  [BindingKind.METRIC]: "measure",
  [BindingKind.GROUPING]: "group by",
  [BindingKind.ORDER]: "sort",
  [BindingKind.LIMIT]: "limit",
  [BindingKind.ASSUMPTION]: "assumption",
};

interface Props {
  readonly understood: string;
  readonly proposal: Proposal | undefined;
  readonly say: ((words: string) => void) | null;
}

export function Reading({ understood, proposal, say }: Props) {
  const used = (proposal?.bindings ?? []).filter((one) => one.fragment !== "");
  const bound = used.filter((one) => !used.some((other) => other !== one && covers(other, one)));
  const unused = (proposal?.bindings ?? []).filter((one) => one.fragment === "");
  return (
    <div class="stack tight">
      {understood && <p class="muted breaks">{understood}</p>}
      <ul class="row" aria-label="How the question was read">
        {bound.map((binding) => <li><Part binding={binding} say={say} /></li>)}
        {unused.map((binding) => <li class="chip muted"><s class="breaks">{binding.words}</s><span class="out-of-sight">not used</span></li>)}
      </ul>
    </div>
  );
}

/** Whether a part says all that another of its kind does: "in 2025" and "2025". */
function covers(whole: Binding, part: Binding): boolean {
  return whole.kind === part.kind && whole.words.length > part.words.length && ` ${whole.words} `.includes(` ${part.words} `);
}

function Part({ binding, say }: { binding: Binding; say: Props["say"] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  const kind = NAMES[binding.kind] ?? "part";

  function change(event: Event): void {
    event.preventDefault();
    dialog.current?.close();
    say?.(words);
  }

  return (
    <>
      <button type="button" class="chip" onClick={() => dialog.current?.showModal()}>
        <span class="muted">{kind}</span><span class="breaks">{binding.words || binding.fragment}</span>
      </button>
      <dialog ref={dialog} aria-label={`${kind}: ${binding.words}`}>
        <form class="stack" onSubmit={change}>
          <h2 class="breaks">{kind}: {binding.words || binding.fragment}</h2>
          <pre class="code">{binding.fragment}</pre>
          {binding.because && <p class="muted breaks">{binding.because}</p>}
          {say && (
            <label class="field"><span>Your correction</span>
              <input type="text" value={words} placeholder={EXAMPLES[binding.kind] ?? "no, …"} onInput={(event) => setWords(event.currentTarget.value)} />
            </label>
          )}
          <p class="row apart">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>Close</button>
            {say && <button class="button first" disabled={!words.trim()}>Ask again</button>}
          </p>
        </form>
      </dialog>
    </>
  );
}

const EXAMPLES: Partial<Record<BindingKind, string>> = {
  [BindingKind.GROUPING]: "no, by region",
  [BindingKind.VALUE]: "only Germany",
  [BindingKind.CALENDAR]: "in 1998",
  [BindingKind.METRIC]: "no, the number of orders",
  [BindingKind.ORDER]: "the smallest first",
  [BindingKind.LIMIT]: "top 5",
};
