// A text of data in little room: its beginning, and all of it for whoever asks.
import { useRef, useState } from "preact/hooks";

import { told } from "../words/numbers";

/** So many characters are shown where a text stands; a cell's column is no wider. */
const BEGINNING = 200;
/** So many fit, and are read on by pointing at them. */
const AT_A_GLANCE = 40;

interface Props {
  readonly text: string;
  /** Where it is from. */
  readonly of: string;
}

export function LongText({ text, of }: Props) {
  if (text.length <= BEGINNING) return <span class="breaks" title={text.length > AT_A_GLANCE ? text : undefined}>{text}</span>;
  return <Opened text={text} of={of} />;
}

function Opened({ text, of }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  function show(): void {
    setOpen(true);
    dialog.current?.showModal();
  }
  return (
    <>
      <button type="button" class="of-text" aria-haspopup="dialog" onClick={show}><span class="breaks">{text.slice(0, BEGINNING)}…</span></button>
      <dialog ref={dialog} class="long-text" aria-label={`The whole text of ${of}`} onClose={() => setOpen(false)}>
        {open && (
          <div class="stack">
            <p class="muted small breaks">{of}: {told(text.length)} characters</p>
            <pre class="breaks" tabIndex={0}>{text}</pre>
            <p><button type="button" class="button" onClick={() => dialog.current?.close()}>Close</button></p>
          </div>
        )}
      </dialog>
    </>
  );
}
