// Signing in: with a token, or by the start link that the mesh printed.
import { useState } from "preact/hooks";

import type { Trouble } from "../mesh/errors";
import { endedBecause, signIn } from "../mesh/who";
import { InTrouble } from "../parts/states";

export function SignIn() {
  const [token, setToken] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(await signIn(token));
    setBusy(false);
  }

  return (
    <main class="page sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <p class="brand"><img src="/mark.svg" alt="" />Assay</p>
        <h1>Sign in</h1>
        {endedBecause.value && <p class="note">{endedBecause.value}</p>}
        <label class="field"><span>Token</span>
          <input type="password" value={token} autocomplete="off" spellcheck={false} required
            onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        <InTrouble trouble={trouble} />
        <button class="button first" disabled={busy || !token}>{busy ? "Signing in…" : "Sign in"}</button>
        <p class="muted small">Make a token with <code>assay token create</code>. On your own machine, open the link that{" "}
          <code>assay up</code> prints, or run <code>assay console</code>.</p>
      </form>
    </main>
  );
}
