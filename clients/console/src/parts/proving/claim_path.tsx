// One number from what is printed to the signed root, stop by stop; each says whether this browser checked it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { hex } from "../../proof/bytes";
import type { Entry } from "../../proof/chain";
import type { Verdict } from "../../proof/fault";
import { documentJson } from "../../proof/json";
import type { Reading } from "../../proof/reading";
import type { Claim, RecordedCall } from "../../proof/recorded";
import { count, told } from "../../words/numbers";
import { FrameTable } from "../frame_table";
import { Icon } from "../icons";
import { formatsOf, statementOf, stepOf } from "./said";
import { TreePath } from "./tree_path";
import { type Proof, verdictOf } from "./use_proof";

export function ClaimPath({ proof, claim, close }: { proof: Proof; claim: Claim; close: () => void }) {
  const place = useRef<HTMLElement>(null);
  const { reading } = proof;
  useEffect(() => {
    place.current?.scrollIntoView({ block: "start", behavior: "smooth" });
    place.current?.focus({ preventScroll: true });
    const shown = requestAnimationFrame(() => requestAnimationFrame(() => showCell(place.current)));
    return () => cancelAnimationFrame(shown);
  }, [claim.claimId, proof.done]);
  const found = reading?.recorded;
  if (!reading || !found) return null;
  const call = found.calls.get(claim.callId);
  const frame = reading.frames.get(claim.frameDigest);
  const of = (name: string) => verdictFor(proof, name, claim);
  const still = !proof.done && proof.found.every((one) => one.verdict !== "wrong");
  return (
    <section class={`card claim-path ${still ? "still" : ""}`} aria-busy={still} ref={place} tabIndex={-1} aria-label={`Where ${claim.text} comes from`}>
      <div class="row apart"><h2 class="breaks">Where {claim.text} comes from</h2>
        <button type="button" class="button little not-printed" onClick={close}>Close</button></div>
      <ol class="stops">
        <Stop title="Number" verdict={of("claims")}>
          <p class="big number breaks">{claim.text}</p>
          <p class="muted small breaks">exact value <span class="number">{claim.value}</span>{claim.unit && `, in ${claim.unit}`} · claim {String(claim.claimId)}</p>
        </Stop>
        <Stop title="Cell" verdict={of("claims")}>
          <p class="breaks">row {told(claim.row + 1n)}, column <code>{claim.column}</code></p>
          {frame ? <FrameTable table={frame} formats={formatsOf(found)} name="the frame" chosen={{ row: Number(claim.row), column: claim.column }} />
            : <p class="muted">The frame was not read.</p>}
        </Stop>
        <Stop title="Frame" verdict={frame ? "ok" : of("claims") === "wrong" ? "wrong" : undefined}>
          <p><code class="breaks">{claim.frameDigest}</code></p>
          {frame && <p class="muted small">SHA-256 of {count(frame.numRows, "row")} and {count(frame.numCols, "column")}, computed in this browser.</p>}
        </Stop>
        <Stop title="Tool call that returned it" verdict={of("calls")}>
          {call ? <Call reading={reading} call={call} /> : <p class="muted">The chain has no such call.</p>}
        </Stop>
        {call && <Stop title="Audit log entries" verdict={of("chain")}><Entries reading={reading} call={call} endedAt={found.endedAt} /></Stop>}
        {call && <Root reading={reading} call={call} verdict={of("tree")} />}
      </ol>
    </section>
  );
}

/** Bring the cell into view in a table that is wider than the page; rows are the table's own matter. */
function showCell(place: HTMLElement | null): void {
  const cell = place?.querySelector<HTMLElement>("td.chosen");
  const table = cell?.closest<HTMLElement>(".scroll");
  if (cell && table) table.scrollLeft = cell.offsetLeft + cell.offsetWidth / 2 - table.clientWidth / 2;
}

/** What a check says of this number: one that failed at another says nothing of this one. */
function verdictFor(proof: Proof, name: string, claim: Claim): Verdict | undefined {
  const verdict = verdictOf(proof, name);
  if (verdict !== "wrong" || name === "tree") return verdict;
  const detail = proof.found.find((one) => one.name === name)!.detail;
  const own = [`claim ${claim.claimId} `, `frame ${claim.frameDigest.slice(0, 8)}`, `frames/${claim.frameDigest}`, `call ${claim.callId.slice(0, 8)} `];
  return own.some((start) => detail.startsWith(start)) ? "wrong" : undefined;
}

const SIGNS: Record<Verdict, { word: string; tone: string; icon: "done" | "wrong" | "trust" }> = {
  ok: { word: "checked here", tone: "good", icon: "done" },
  wrong: { word: "WRONG", tone: "bad", icon: "wrong" },
  trust: { word: "not fully checked", tone: "warn", icon: "trust" },
};

function Stop({ title, verdict, children }: { title: string; verdict: Verdict | undefined; children: ComponentChildren }) {
  const sign = verdict && SIGNS[verdict];
  return (
    <li class={verdict ?? "unchecked"}>
      <span class="sign">{sign ? <Icon name={sign.icon} /> : <span class="dot" />}</span>
      <div class="stack tight">
        <div class="row apart"><h3>{title}</h3><span class={`chip ${sign?.tone ?? "muted"}`}>{sign?.word ?? <><span class="not-checked">not checked</span><span class="not-yet">not yet</span></>}</span></div>
        {children}
      </div>
    </li>
  );
}

function Call({ reading, call }: { reading: Reading; call: RecordedCall }) {
  const step = stepOf(reading.recorded!, call);
  const [statement, description] = [statementOf(call), step?.get("description")];
  return (
    <>
      <p class="breaks"><strong>{call.toolName}</strong>{typeof description === "string" && description && ` · ${description}`}{call.attempt > 1n && ` · attempt ${call.attempt}`}</p>
      {call.inputs.size > 0 && (
        <p class="muted small breaks">on {[...call.inputs].map(([task, digest]) => `${task} (frame ${digest.slice(0, 8)})`).join(", ")}</p>
      )}
      {statement ? <pre class="code" tabIndex={0}>{statement}</pre>
        : <details><summary class="small">Arguments</summary><pre class="code" tabIndex={0}>{documentJson(call.arguments)}</pre></details>}
    </>
  );
}

const WHAT: Record<string, string> = { tool_called: "tool call", observation_recorded: "result", artifact_generated: "answer with this number" };

function Entries({ reading, call, endedAt }: { reading: Reading; call: RecordedCall; endedAt: number }) {
  const entries = [call.calledAt, call.observedAt, endedAt].map((number) => reading.entries[number - 1]).filter((one) => one !== undefined);
  return (
    <ul class="entries">
      {entries.map((entry) => <EntryShown entry={entry} leaf={reading.places[Number(entry.number) - 1]?.leafIndex} />)}
    </ul>
  );
}

function EntryShown({ entry, leaf }: { entry: Entry; leaf: bigint | undefined }) {
  return (
    <li>
      <details>
        <summary><strong>{told(entry.number)}</strong> {WHAT[entry.eventType] ?? entry.eventType} <span class="muted small">{entry.timestamp.slice(0, 19).replace("T", " ")} UTC, by {entry.actor}{leaf !== undefined && ` · leaf ${told(leaf)}`}</span></summary>
        <dl class="stack tight small hashes">
          <dt class="muted">parent hash</dt><dd><code class="breaks">{entry.parentHash}</code></dd>
          <dt class="muted">hash</dt><dd><code class="breaks">{entry.hash}</code></dd>
        </dl>
        <pre class="code" tabIndex={0}>{documentJson(entry.data)}</pre>
      </details>
    </li>
  );
}

function Root({ reading, call, verdict }: { reading: Reading; call: RecordedCall; verdict: Verdict | undefined }) {
  const place = reading.places[(call.observedAt || call.calledAt) - 1];
  const { checkpoint, witnesses } = reading;
  return (
    <>
      <Stop title="Inclusion proof" verdict={verdict}>
        {place && checkpoint ? <TreePath place={place} size={checkpoint.size} holds={verdict === "ok"} /> : <p class="muted">The inclusion proof was not checked.</p>}
      </Stop>
      <Stop title="Signed checkpoint" verdict={verdict}>
        {checkpoint ? (
          <>
            <p class="breaks">{count(checkpoint.size, "leaf", "leaves")}, signed by <strong>{checkpoint.origin}</strong>
              {witnesses.map((one) => <>, witnessed by <strong>{one.name}</strong> on {new Date(Number(one.at) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC</>)}</p>
            <p><code class="breaks">{hex(checkpoint.root)}</code></p>
            <details><summary class="small">Signed note as published, with the root in base64</summary><pre class="code" tabIndex={0}>{reading.note}</pre></details>
          </>
        ) : <p class="muted">No checkpoint was read.</p>}
      </Stop>
    </>
  );
}
