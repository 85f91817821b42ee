// The record across jobs: newest first, by kind, time and user.
import type { AuditEntry } from "@gen/assay/common/v1/audit_pb";
import { useState } from "preact/hooks";

import { operation } from "../mesh/calls";
import { usePaged } from "../mesh/loading";
import { count, told } from "../words/numbers";
import { Part } from "./part";

export const KINDS = ["", "policy_decision", "request_submitted", "plan_created", "tool_called", "observation_recorded", "artifact_generated"];
const TIMES: readonly (readonly [number, string])[] = [[0, "all time"], [1, "an hour"], [24, "a day"], [24 * 7, "a week"], [24 * 30, "30 days"]];
const PAGE = 100;

export function Log({ choose }: { choose: (jobId: string) => void }) {
  const [kind, setKind] = useState("");
  const [hours, setHours] = useState(0);
  const [user, setUser] = useState("");
  const [said, setSaid] = useState("");
  const { loaded, more } = usePaged(
    async (pageToken, signal) => {
      const since = hours > 0 ? { seconds: BigInt(Math.floor(Date.now() / 1000) - hours * 3600) } : undefined;
      const page = await operation.listTenantEntries({ pageSize: PAGE, pageToken, eventTypes: kind ? [kind] : [], since, user }, { signal });
      return { items: page.entries, next: page.nextPageToken };
    },
    [kind, hours, user],
  );
  return (
    <Part title="Audit log" means="Of everyone in your tenant: jobs, and events outside jobs such as tokens, definitions and refusals. Newest first." loaded={loaded}
      none={({ items, next }) => (items.length === 0 && next === "" ? "No entries." : null)}
      beside={<>
        <label class="row small">Kind<select class="narrow" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>{KINDS.map((one) => <option value={one}>{one.replaceAll("_", " ") || "all"}</option>)}</select></label>
        <label class="row small">Within<select class="narrow" value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>{TIMES.map(([one, name]) => <option value={one}>{name}</option>)}</select></label>
        <form class="row small" onSubmit={(event) => { event.preventDefault(); setUser(said.trim()); }}>
          <label class="row small">Naming<input type="search" class="narrow" maxLength={100} placeholder="a user" value={said} onInput={(event) => setSaid(event.currentTarget.value)} onChange={(event) => setUser(event.currentTarget.value.trim())} /></label></form>
      </>}>
      {({ items }) => (
        <>
          <p class="small muted">{count(items.length, "entry", "entries")}{more && ", and earlier ones"}</p>
          <ol class="entries scroll" tabIndex={0} aria-label="Entries of the tenant">{items.map((one) => <Entry key={one.entryId} entry={one} choose={choose} />)}</ol>
          {more && <p class="under"><button type="button" class="button little" disabled={loaded.loading} onClick={more}>{loaded.loading ? "Looking…" : "Load earlier entries"}</button></p>}
        </>
      )}
    </Part>
  );
}

function Entry({ entry, choose }: { entry: AuditEntry; choose: (jobId: string) => void }) {
  return (
    <li class={isDenied(entry) ? "failed" : undefined}>
      <details class="whole"><summary><span class="number muted">{told(entry.leafIndex)}</span> {summary(entry)} <span class="muted small">{entry.actor} · {entry.timestamp.slice(0, 19).replace("T", " ")}</span></summary>
        <pre class="code small under">{laidOut(entry.eventDataJson)}</pre>
        <p class="small muted breaks">entry {told(entry.sequenceNumber)} of chain <code>{entry.requestId}</code>, hash <code>{entry.hash}</code></p>
        {entry.eventType !== "policy_decision" && <p><button type="button" class="button little" onClick={() => choose(entry.requestId)}>The chain of its job</button></p>}</details>
    </li>
  );
}

export function isDenied(entry: AuditEntry): boolean {
  return entry.eventType === "policy_decision" && dataOf(entry)["decision"] !== "allowed";
}

/** What happened, in a line: of a decision its rule and whom it is about. */
function summary(entry: AuditEntry): string {
  const data = dataOf(entry);
  const texts = [data["rule"], data["user"] ?? data["caller"] ?? data["by"], data["tool_name"] ?? data["tool"]].filter((one): one is string => typeof one === "string");
  return [entry.eventType.replaceAll("_", " "), ...texts].join(" · ");
}

function dataOf(entry: AuditEntry): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(entry.eventDataJson);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
