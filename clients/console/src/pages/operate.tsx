// Operate: jobs, access, stored data and the audit log. Each part loads by itself.
import { useLocation, useRoute } from "preact-iso";

import "../styles/operate.css";
import { who } from "../mesh/who";
import { Domains, Sessions, Sources } from "../operate/holdings";
import { Access } from "../operate/access";
import { Gaps } from "../operate/gaps";
import { Jobs } from "../operate/jobs";
import { Log } from "../operate/log";
import { Queue, Services, useMesh } from "../operate/mesh";
import { Definitions, Publications } from "../operate/meanings";
import { Checkpoint, Entries, Recipes, Tools } from "../operate/record";
import { Storage } from "../operate/storage";
import { Tokens } from "../operate/tokens";
import { Trace } from "../operate/trace";
import { Empty } from "../parts/states";

const PARTS: readonly (readonly [string, string])[] = [
  ["work", "Jobs"],
  ["refusals", "Refusals"],
  ["keys", "Tokens"],
  ["access", "Access"],
  ["data", "Data"],
  ["meaning", "Definitions"],
  ["record", "Audit log"],
  ["storage", "Storage"],
  ["learned", "Tools"],
];

export function Operate() {
  const { query } = useRoute();
  const { route } = useLocation();
  if (who.value?.role !== "operator") {
    return (
      <Empty title="This page is for operators">
        <p>You are signed in as {who.value?.role === "reader" ? "a reader" : "an analyst"}. Ask whoever runs this mesh for a token with the operator role.</p>
        <a class="button" href="/">Go to Home</a>
      </Empty>
    );
  }
  const part = PARTS.find(([name]) => name === query["part"])?.[0] ?? "work";
  const job = query["job"] ?? "";
  return (
    <>
      <header><div><h1>Operate</h1><p class="muted">Jobs, access, stored data and the audit log of this mesh.</p></div></header>
      <nav class="tabs" aria-label="Sections">
        {PARTS.map(([name, words]) => <a href={`/operate?part=${name}`} aria-current={part === name ? "page" : undefined}>{words}</a>)}
      </nav>
      {part === "work" && <><Work by={query["by"] ?? ""} trace={(jobId) => route(`/operate?part=work&job=${jobId}${by(query["by"])}`)} choose={(user) => route(`/operate?part=work${by(user)}`)} />
        {job && <Trace key={job} jobId={job} close={() => route(`/operate?part=work${by(query["by"])}`)} />}</>}
      {part === "refusals" && <Gaps />}
      {part === "keys" && <Tokens />}
      {part === "access" && <Access />}
      {part === "data" && <><Sources /><Sessions /><Publications /><Domains /></>}
      {part === "meaning" && <Definitions />}
      {part === "record" && <><Checkpoint /><Log choose={(jobId) => route(`/operate?part=record&job=${jobId}`)} /><Entries jobId={job} choose={(jobId) => route(`/operate?part=record&job=${jobId}`)} /></>}
      {part === "storage" && <Storage />}
      {part === "learned" && <><Recipes /><Tools /></>}
    </>
  );
}

function Work({ by, trace, choose }: { by: string; trace: (jobId: string) => void; choose: (user: string) => void }) {
  const mesh = useMesh();
  return <><Services mesh={mesh} /><Queue mesh={mesh} /><Jobs by={by} trace={trace} choose={choose} /></>;
}

function by(user: string | undefined): string {
  return user ? `&by=${encodeURIComponent(user)}` : "";
}
