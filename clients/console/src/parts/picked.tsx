// Follow-ups on a point of a chart that was clicked.
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** The names among the clicked point's values: a bar's category, a line's series. */
  readonly names: readonly string[];
  readonly say: (words: string) => void;
  readonly close: () => void;
}

export function Picked({ names, say, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [split, setSplit] = useState("");
  useEffect(() => {
    if (names.length > 0) dialog.current?.showModal();
  }, [names]);

  function saying(words: string): void {
    dialog.current?.close();
    say(words);
  }

  return (
    <dialog ref={dialog} onClose={close} aria-label="Follow up on this point">
      <div class="stack">
        <h2 class="breaks">{names.join(" · ")}</h2>
        <div class="row">
          {names.map((name) => <button type="button" class="button" onClick={() => saying(`only ${name}`)}>Only <span class="breaks">{name}</span></button>)}
          <button type="button" class="button" onClick={() => saying("why did it change?")}>Why did it change?</button>
        </div>
        <form class="row" onSubmit={(event) => { event.preventDefault(); saying(`only ${names[0]}, by ${split}`); }}>
          <label class="field" style={{ flex: 1 }}><span>Split by</span>
            <input type="text" value={split} placeholder="product" onInput={(event) => setSplit(event.currentTarget.value)} /></label>
          <button class="button first" disabled={!split.trim()}>Split</button>
        </form>
        <p><button type="button" class="button plain" onClick={() => dialog.current?.close()}>Close</button></p>
      </div>
    </dialog>
  );
}
