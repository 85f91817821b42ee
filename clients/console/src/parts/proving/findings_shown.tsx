// What was checked, line by line, in the words of `assay verify`; nothing follows the first failure.
import type { Finding } from "../../proof/fault";
import { checkNames, NEVER_PROVEN } from "../../proof/verify";
import { Icon } from "../icons";
import type { Proof } from "./use_proof";

/** Checks without which nothing is said to hold. */
const NEEDED = ["chain", "tree", "artifacts", "claims", "calls"];
const SAYS: Record<string, string> = {
  chain: "every entry is intact and carries the hash of the one before it",
  tree: "every entry is included in the tree whose root the log signed",
  history: "the log is consistent with the checkpoint that this browser kept",
  artifacts: "every file matches its recorded hash",
  claims: "every number matches its cell, as printed",
  calls: "the job and its calls are as recorded",
  words: "what the answer states about cells holds",
  manifest: "the bundle contains nothing else, to the byte",
};

/** The whole in one line, and never better than its worst part. */
export function Verdict({ proof }: { proof: Proof }) {
  const wrong = proof.found.find((one) => one.verdict === "wrong");
  const [ok, part] = ["ok", "trust"].map((verdict) => proof.found.filter((one) => one.verdict === verdict).length) as [number, number];
  if (wrong) {
    return <div class="note bad verdict" role="alert"><h2>This proof does not hold</h2><p class="breaks"><strong>{wrong.name}</strong>: {wrong.detail}</p></div>;
  }
  if (!proof.done) return <div class="note verdict" role="status"><h2>Checking…</h2><p>{ok + part} checks are done.</p></div>;
  if (proof.broken !== null) return <div class="note warn verdict" role="alert"><h2>The checks were not finished</h2><p>The listed checks were made; nothing is known about the rest.</p></div>;
  if (ok === 0) return <div class="note warn verdict" role="alert"><h2>Nothing was checked</h2><p class="breaks">{proof.found[0]?.detail}</p></div>;
  const missing = NEEDED.filter((name) => proof.found.find((one) => one.name === name)?.verdict !== "ok");
  if (missing.length > 0) {
    return <div class="note warn verdict" role="status"><h2>Nothing was found wrong, but not everything was checked</h2><p>Not fully checked by this browser: {missing.join(", ")}.</p></div>;
  }
  return (
    <div class="note good verdict" role="status">
      <h2>This proof holds, as far as this browser checked</h2>
      <p>{ok} {ok === 1 ? "check was" : "checks were"} completed by this browser{part > 0 && `, ${part} in part`}. What it took on trust is listed.</p>
    </div>
  );
}

export function FindingsShown({ proof, history }: { proof: Proof; history: boolean }) {
  const names = proof.reading ? checkNames(proof.reading.bundle.from) : [];
  const all = history ? [...names.slice(0, 2), "history", ...names.slice(2)] : names;
  const ended = proof.done || proof.found.some((one) => one.verdict === "wrong");
  const next = ended ? undefined : all[proof.found.length];
  const left = all.slice(proof.found.length);
  return (
    <section class="card" aria-labelledby="checks">
      <h2 id="checks">Checked in this browser</h2>
      <ul class="findings">
        {proof.found.map((one) => <FindingLine key={one.name} finding={one} />)}
        {next && (
          <li class="muted"><span class="sign"><Icon name="wait" turns /></span><div><strong>{next}</strong> <span class="small">{SAYS[next]}</span></div></li>
        )}
      </ul>
      {ended && left.length > 0 && <p class="muted small">Not checked after that: {left.join(", ")}.</p>}
    </section>
  );
}

export function FindingLine({ finding }: { finding: Finding }) {
  const { name, verdict, detail, short } = finding;
  return (
    <li class={verdict}>
      <span class="sign"><Icon name={verdict === "ok" ? "done" : verdict} /></span>
      <div><strong>{name}</strong> <span class="muted small">{SAYS[name]}</span><p class="breaks">{detail}</p></div>
      <span class={`chip ${TONE[verdict]}`}>{verdict === "ok" ? "ok" : verdict === "wrong" ? "WRONG" : short}</span>
    </li>
  );
}

const TONE: Record<Finding["verdict"], string> = { ok: "good", wrong: "bad", trust: "warn" };

/** What was not checked here and why; empty words would be worse than none. */
export function Trusted({ proof }: { proof: Proof }) {
  const sentences = [...new Set(proof.found.flatMap((one) => one.trusted))];
  return (
    <section class="card" aria-labelledby="trusted">
      <h2 id="trusted">Taken on trust</h2>
      {proof.done && sentences.length > 0 && <ul class="trusted">{sentences.map((one) => <li class="breaks"><Coded text={one} /></li>)}</ul>}
      <h3>What no proof can show</h3>
      <ul class="trusted">{NEVER_PROVEN.map((one) => <li>{one}</li>)}</ul>
      {proof.reading?.bundle.from === "mesh" && (
        <p class="small muted">This page itself came from the mesh that it checks. If you trust neither, use a checker downloaded earlier or from elsewhere, and drop in the output of <code>assay export</code>.</p>
      )}
    </section>
  );
}

/** Words between backquotes as what is typed. */
function Coded({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
