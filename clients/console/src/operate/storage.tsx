// What is stored, for how long it stays, and what goes next.
import { StorageKind, type StorageUse } from "@gen/assay/common/v1/operation_pb";
import { type GetStorageResponse, type Removal, RemovalReason, type RetentionRule } from "@gen/assay/gateway/v1/operator_service_pb";
import type { Duration } from "@bufbuild/protobuf/wkt";

import { operation } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { bytes, count, moment, told } from "../words/numbers";
import { Part } from "./part";

const KINDS: Record<StorageKind, string> = {
  [StorageKind.UNSPECIFIED]: "unknown",
  [StorageKind.UPLOAD]: "uploaded files",
  [StorageKind.FRAME]: "frames",
  [StorageKind.ARTIFACT]: "charts, reports and tables",
  [StorageKind.CALL]: "records of calls",
  [StorageKind.PAGE]: "published pages",
  [StorageKind.DATABASE]: "database",
  [StorageKind.LOG]: "audit log",
  [StorageKind.TRACE]: "traces",
  [StorageKind.MEMORY]: "recipes and documents",
};

export function Storage() {
  const loaded = useLoaded((signal) => operation.getStorage({}, { signal }), []);
  return (
    <>
      <Part title="Disk" means="Of your tenant, by kind. What several tenants share is counted for each of them." loaded={loaded}>
        {(storage) => <Disk storage={storage} />}
      </Part>
      {loaded.value && loaded.value.whole.length > 0 && (
        <section class="card" aria-label="Whole mesh"><h2>The whole mesh</h2>
          <p class="muted small">All tenants together, with databases, the audit log and this gateway's traces. What a Qdrant server holds is not among them.</p><Uses uses={loaded.value.whole} by /></section>
      )}
      {loaded.value && <Next next={loaded.value.next} />}
      {loaded.value && <Rules rules={loaded.value.rules} />}
    </>
  );
}

function Disk({ storage }: { storage: GetStorageResponse }) {
  const counted = storage.uses.filter((use) => use.kind === StorageKind.UPLOAD || use.kind === StorageKind.PAGE).reduce((sum, use) => sum + use.bytes, 0n);
  const share = storage.mostBytes > 0n ? Number(counted) / Number(storage.mostBytes) : 0;
  return (
    <div class="stack">
      {storage.away.length > 0 && <p class="note warn" role="status">Unknown, since {storage.away.length === 1 ? "it" : "they"} cannot be reached: {storage.away.join(", ")}.</p>}
      {storage.mostBytes > 0n && (
        <label class="stack tight small"><span>{bytes(counted)} of {bytes(storage.mostBytes)} allowed for the files and pages of a tenant ({told(Math.round(share * 1000) / 10)} %)</span>
          <progress class="far whole" max={1} value={share}>{told(Math.round(share * 100))} %</progress></label>
      )}
      <Uses uses={storage.uses} />
    </div>
  );
}

function Uses({ uses, by = false }: { uses: readonly StorageUse[]; by?: boolean }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={by ? "Disk of all: table" : "Disk: table"}>
      <table class="table">
        <thead><tr><th scope="col">What</th>{by && <th scope="col">Where</th>}<th scope="col" class="right">Count</th><th scope="col" class="right">Size</th><th scope="col" class="right">No longer needed</th><th scope="col">Oldest</th></tr></thead>
        <tbody>{[...uses].sort((a, b) => Number(b.bytes - a.bytes)).map((use) => (
          <tr key={`${use.service} ${use.kind}`}>
            <th scope="row">{KINDS[use.kind]}</th>{by && <td>{use.service}</td>}
            <td class="right">{told(use.items)}</td><td class="right">{bytes(use.bytes)}</td>
            <td class="right">{use.goingItems > 0n ? `${told(use.goingItems)}, ${bytes(use.goingBytes)}` : ""}</td>
            <td class="small">{moment(use.oldestAt)}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Next({ next }: { next: readonly Removal[] }) {
  return (
    <section class="card" aria-label="Next to be deleted"><h2>Next to be deleted</h2>
      <p class="muted small">The earliest times: expired data is looked for every few minutes.</p>
      {next.length === 0 ? <p class="muted">Nothing is due to be deleted.</p> : (
        <ul class="listing">{next.map((one) => (
          <li key={`${one.reason} ${one.id} ${one.at?.seconds}`}><span class="breaks">{said(one)}</span>
            <span class="small muted">{(one.at?.seconds ?? 0n) * 1000n < BigInt(Date.now()) ? "due now" : moment(one.at)}</span></li>))}</ul>
      )}
    </section>
  );
}

function said(one: Removal) {
  const much = one.items > 0n ? `${count(one.items, "file")}, ${bytes(one.bytes)}` : "";
  if (one.reason === RemovalReason.SESSION_ENDS) return <>{one.title || "An untitled workspace"} ends: {much}</>;
  if (one.reason === RemovalReason.JOB_IS_OLD) return <>What job <a href={`/answer/${one.id}`}><code>{one.id.slice(0, 8)}</code></a> made, except the proof of its answer</>;
  return <>{count(one.items, "thing")} no longer needed, {bytes(one.bytes)}; from this time they can be deleted</>;
}

function Rules({ rules }: { rules: readonly RetentionRule[] }) {
  return (
    <section class="card" aria-label="Retention"><h2>Retention</h2>
      <p class="muted small">Unless they are deleted earlier. The settings are those of the service that keeps them.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Retention: table">
        <table class="table">
          <thead><tr><th scope="col">What</th><th scope="col">For</th><th scope="col">Setting</th></tr></thead>
          <tbody>{rules.map((rule) => (
            <tr key={rule.what}><th scope="row">{rule.what}</th><td>{rule.keeps ? lasting(rule.keeps) : "forever"}</td><td>{rule.setting && <code class="small breaks">{rule.setting}</code>}</td></tr>))}</tbody>
        </table>
      </div>
    </section>
  );
}

function lasting(time: Duration): string {
  const hours = Number(time.seconds) / 3600;
  if (hours >= 48) return count(Math.round((hours / 24) * 10) / 10, "day");
  return hours >= 1 ? count(Math.round(hours * 10) / 10, "hour") : count(Math.round(hours * 60), "minute");
}
