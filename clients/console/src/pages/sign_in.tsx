// Signing in: with a token, or by the start link that the mesh printed.
import { useState } from "preact/hooks";

import type { Trouble } from "../mesh/errors";
import { useLoaded } from "../mesh/loading";
import { endedBecause, signIn } from "../mesh/who";
import { InTrouble } from "../parts/states";

export function SignIn() {
  const [token, setToken] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const ways = useLoaded(async () => (await (await fetch("/sign-in/ways")).json()) as { provider: string | null }, []);
  const came = new URLSearchParams(location.search);
  const refused = came.get("message") ?? (came.get("reason") === "SIGN_IN_ENDED" ? "the start link is no longer valid: the mesh was restarted since" : "");

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
        {refused && <p class="note warn breaks" role="alert">Sign-in failed: {refused}.</p>}
        {ways.value?.provider && (
          <button type="button" class="button first" onClick={() => location.assign("/sign-in/provider")}>
            Sign in with <span class="breaks">{new URL(ways.value.provider).host}</span></button>
        )}
        <label class="field"><span>Token</span>
          <input type="password" value={token} autocomplete="off" spellcheck={false} required
            onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        <InTrouble trouble={trouble} />
        <button class={`button ${ways.value?.provider ? "" : "first"}`} disabled={busy || !token}>{busy ? "Signing in…" : "Sign in"}</button>
        <p class="muted small">Create a token with <code>assay token create</code>. On your own machine, open the link that{" "}
          <code>assay up</code> prints, or run <code>assay console</code>.</p>
      </form>
    </main>
  );
}
