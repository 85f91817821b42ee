// Tokens of the tenant: created, shown once, and revoked; and signing out everywhere.
import { Role } from "@gen/assay/common/v1/access_pb";
import type { Token } from "@gen/assay/gateway/v1/token_service_pb";
import { useState } from "preact/hooks";

import { tokens } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { useLoaded } from "../mesh/loading";
import { signOut, who } from "../mesh/who";
import { InTrouble } from "../parts/states";
import { moment } from "../words/numbers";
import { Act, Part } from "./part";
import { Users } from "./users";

const ROLES: readonly (readonly [Role, string, string])[] = [
  [Role.READER, "reader", "reads, lists, watches and checks"],
  [Role.ANALYST, "analyst", "also asks, uploads and deletes"],
  [Role.OPERATOR, "operator", "also creates tokens and decides on definitions"],
];

export function Tokens() {
  const loaded = useLoaded(async (signal) => (await tokens.listTokens({ pageSize: 100 }, { signal })).tokens, []);
  return (
    <>
      <Make made={loaded.again} />
      <Part title="Tokens" means="The tokens of your tenant, including expired ones. Only a hash of each token is kept." loaded={loaded} none={(list) => (list.length === 0 ? "No tokens yet." : null)}>
        {(list) => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Tokens: table">
            <table class="table">
              <thead><tr><th scope="col">Purpose</th><th scope="col">User</th><th scope="col">Role</th><th scope="col">Expires</th><th scope="col">Last used</th><th scope="col"><span class="out-of-sight">Actions</span></th></tr></thead>
              <tbody>{list.map((token) => <Line key={token.tokenId} token={token} done={loaded.again} />)}</tbody>
            </table>
          </div>
        )}
      </Part>
      <Users />
      <section class="card" aria-labelledby="sign-outs">
        <h2 id="sign-outs">Your sign-in</h2>
        <p class="muted">{who.value?.how === "local" ? "You are this machine's user" : <span class="breaks">You are {who.value?.user} of {who.value?.tenant}</span>}{who.value?.until && `, signed in until ${new Date(who.value.until).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}`}.</p>
        <p><Act words="Sign out everywhere" question="All your browsers are signed out, including this one. Tokens stay valid." act={() => signOut(true)} done={() => undefined} /></p>
      </section>
    </>
  );
}

function Line({ token, done }: { token: Token; done: () => void }) {
  const over = token.expiresAt !== undefined && Number(token.expiresAt.seconds) * 1000 < Date.now();
  return (
    <tr class={token.revokedAt || over ? "muted" : undefined}>
      <td><span class="breaks">{token.label || "unlabelled"}</span><br /><code class="small">{token.tokenId}</code></td>
      <td><span class="breaks">{token.user}</span></td>
      <td>{ROLES.find(([role]) => role === token.role)?.[1]}</td>
      <td class="small">{token.revokedAt ? `revoked ${moment(token.revokedAt)}` : over ? `expired ${moment(token.expiresAt)}` : moment(token.expiresAt)}</td>
      <td class="small">{token.lastUsedAt ? moment(token.lastUsedAt) : "never"}</td>
      <td>{!token.revokedAt && !over && <Act words="Revoke" question={`Revoke the token of ${token.user}${token.label && ` (${token.label})`}? It stops working within five seconds.`} act={() => tokens.revokeToken({ tokenId: token.tokenId })} done={done} />}</td>
    </tr>
  );
}

function Make({ made }: { made: () => void }) {
  const [user, setUser] = useState("");
  const [role, setRole] = useState<Role>(Role.READER);
  const [label, setLabel] = useState("");
  const [days, setDays] = useState(90);
  const [secret, setSecret] = useState("");
  const [copied, setCopied] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);

  async function make(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    setSecret("");
    setCopied(false);
    try {
      setSecret((await tokens.createToken({ user: user.trim(), role, label: label.trim(), lifetime: { seconds: BigInt(days * 86_400) } })).secret);
      setLabel("");
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
    made();
  }

  return (
    <form class="card" onSubmit={(event) => void make(event)}>
      <h2>Create a token</h2>
      <div class="fields">
        <label class="field"><span>User</span><input type="text" required maxLength={100} value={user} placeholder="nightly-report" onInput={(event) => setUser(event.currentTarget.value)} /></label>
        <label class="field"><span>Purpose</span><input type="text" maxLength={200} value={label} onInput={(event) => setLabel(event.currentTarget.value)} /></label>
        <label class="field"><span>Role</span><select value={role} onChange={(event) => setRole(Number(event.currentTarget.value))}>{ROLES.map(([one, name]) => <option value={one}>{name}</option>)}</select><small class="muted">{ROLES.find(([one]) => one === role)![2]}</small></label>
        <label class="field"><span>Expires after</span><select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>{[1, 7, 30, 90, 366].map((one) => <option value={one}>{one === 1 ? "1 day" : `${one} days`}</option>)}</select></label>
      </div>
      <InTrouble trouble={trouble} />
      <p><button class="button first" disabled={busy || user.trim() === ""}>{busy ? "Creating…" : "Create token"}</button></p>
      {secret && (
        <div class="note good" role="status">
          <p><strong>Copy this token now. It will not be shown again.</strong></p>
          <p class="row"><code class="breaks secret">{secret}</code>
            <button type="button" class="button little" onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}>{copied ? "Copied" : "Copy"}</button>
            <button type="button" class="button little" onClick={() => setSecret("")}>Done</button></p>
        </div>
      )}
    </form>
  );
}
