// What may this person see: by role, and of columns under a policy.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Role } from "@gen/assay/common/v1/access_pb";
import { type DescribeAccessRequestSchema, type DescribeAccessResponse, Sight, type TableAccess } from "@gen/assay/gateway/v1/operator_service_pb";
import { useState } from "preact/hooks";

import { operation, sources } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { useLoaded } from "../mesh/loading";
import { InTrouble } from "../parts/states";
import { count } from "../words/numbers";
import { ROLE_WORDS } from "./users";

const PATTERNS = ["email", "phone", "ssn", "credit_card", "iban", "ip"];
const SIGHTS: Record<Sight, readonly [string, string]> = {
  [Sight.UNSPECIFIED]: ["unknown", ""],
  [Sight.SHOWN]: ["all of it", "good"],
  [Sight.MASKED_WHERE_MATCHED]: ["except matching cells", "accent"],
  [Sight.MASKED]: ["as pseudonyms", "warn"],
  [Sight.HIDDEN]: ["nothing", "bad"],
};

export function Access() {
  const known = useLoaded(async (signal) => {
    const [users, kept] = await Promise.all([operation.listUsers({}, { signal }), sources.listSources({ pageSize: 100 }, { signal })]);
    return { users: users.users.map((user) => user.name).filter((name) => name !== ""), sources: kept.sources.map((source) => source.name) };
  }, []);
  const [who, setWho] = useState("");
  const [role, setRole] = useState(Role.READER);
  const [source, setSource] = useState("");
  const [job, setJob] = useState("");
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  const [own, setOwn] = useState("");
  const [allowed, setAllowed] = useState("");
  const [found, setFound] = useState<DescribeAccessResponse | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);

  async function ask(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      setFound(await operation.describeAccess(asked()));
    } catch (thrown) {
      setFound(null);
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  function asked(): MessageInitShape<typeof DescribeAccessRequestSchema> {
    const whose = who ? { user: who } : { role };
    if (job.trim()) return { ...whose, data: { case: "jobId", value: job.trim() } };
    if (!source) return whose;
    const policy = { blockedPatterns: [...blocked, ...parted(own)], allowedColumns: parted(allowed) };
    return { ...whose, data: { case: "sourceName", value: source }, policy };
  }

  return (
    <>
      <form class="card stack" onSubmit={(event) => void ask(event)} aria-labelledby="access">
        <h2 id="access">What can this person see?</h2>
        <p class="muted small">A role says what somebody may do. Which columns and cells they see depends on the policy that comes with each request of a person, a program or a board; no policy is kept with a person.</p>
        <div class="fields">
          <label class="field"><span>Who</span><select value={who} onChange={(event) => setWho(event.currentTarget.value)}><option value="">anyone with the role</option>{known.value?.users.map((name) => <option value={name}>{name}</option>)}</select></label>
          {!who && <label class="field"><span>Role</span><select value={role} onChange={(event) => setRole(Number(event.currentTarget.value))}>{[Role.READER, Role.ANALYST, Role.OPERATOR].map((one) => <option value={one}>{ROLE_WORDS[one]}</option>)}</select></label>}
          <label class="field"><span>Data of the source</span><select value={source} disabled={job.trim() !== ""} onChange={(event) => setSource(event.currentTarget.value)}><option value="">no data</option>{known.value?.sources.map((name) => <option value={name}>{name}</option>)}</select></label>
          <label class="field"><span>Or data of a job, as it was asked</span><input type="text" value={job} maxLength={36} placeholder="a job's id" onInput={(event) => setJob(event.currentTarget.value)} /></label>
        </div>
        {source && !job.trim() && (
          <fieldset class="stack boxed"><legend>Under a policy that blocks</legend>
            <div class="row">{PATTERNS.map((name) => (
              <label class="row small" key={name}><input type="checkbox" checked={blocked.includes(name)} onChange={(event) => setBlocked(event.currentTarget.checked ? [...blocked, name] : blocked.filter((one) => one !== name))} />{name.replace("_", " ")}</label>))}</div>
            <div class="fields">
              <label class="field"><span>Your own patterns</span><input type="text" value={own} placeholder="salary, ^internal_" onInput={(event) => setOwn(event.currentTarget.value)} /></label>
              <label class="field"><span>Only these columns</span><input type="text" value={allowed} placeholder="region, orders.total" onInput={(event) => setAllowed(event.currentTarget.value)} /></label>
            </div>
          </fieldset>
        )}
        <InTrouble trouble={known.trouble ?? trouble} />
        <p><button class="button first" disabled={busy}>{busy ? "Looking…" : "Show access"}</button></p>
      </form>
      {found && <Found access={found} />}
    </>
  );
}

function Found({ access }: { access: DescribeAccessResponse }) {
  return (
    <section class="card stack" aria-label="Access" aria-live="polite">
      <ul class="stack tight">{access.told.map((sentence) => <li class="breaks">{sentence}</li>)}</ul>
      {access.tables.map((table) => <Columns key={table.name} table={table} />)}
      {access.methods.length > 0 && (
        <details><summary>{count(access.methods.length, "method")} of the API may be called</summary>
          <ul class="methods under">{access.methods.map((name) => <li><code class="small breaks">{name}</code></li>)}</ul></details>
      )}
    </section>
  );
}

function Columns({ table }: { table: TableAccess }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Columns of ${table.name}`}>
      <table class="table">
        <caption class="breaks">{table.name}, {count(table.rows, "row")}, all visible</caption>
        <thead><tr><th scope="col">Column</th><th scope="col">Visible</th></tr></thead>
        <tbody>{table.columns.map((column) => {
          const [word, tone] = SIGHTS[column.sight];
          return <tr key={column.name}><th scope="row"><span class="breaks">{column.name}</span></th><td><span class={`chip ${tone}`}>{word}</span></td></tr>;
        })}</tbody>
      </table>
    </div>
  );
}

function parted(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
