// What is kept: sources, workspaces with their files and how long they last, domains.
import type { DataSource } from "@gen/assay/common/v1/data_pb";
import { type Session, SessionState } from "@gen/assay/gateway/v1/session_service_pb";

import { domains, files, sessions, sources } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { leaveWorkspace, workspace } from "../mesh/workspace";
import { bytes, count, moment } from "../words/numbers";
import { Act, Part } from "./part";

export function Sources() {
  const loaded = useLoaded(async (signal) => (await sources.listSources({ pageSize: 100 }, { signal })).sources, []);
  return (
    <Part title="Sources" means="Removing one forgets its name; the data stays where it is." loaded={loaded} none={(list) => (list.length === 0 ? "No source is known." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.name}><span class="stack tight"><a class="breaks" href={`/look?source=${encodeURIComponent(one.name)}`}>{one.name}</a><code class="small muted breaks">{placeOf(one.source)}</code></span>
              <span class="row small"><span class="muted">added {moment(one.createdAt)}</span>
                <Act words="Remove" question={`Forget the source ${one.name}? Jobs that were asked of it stay.`} act={() => sources.removeSource({ name: one.name })} done={loaded.again} /></span></li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function placeOf(source: DataSource | undefined): string {
  return source?.place.value ? String(source.place.value) : "its place is not told";
}

interface Kept {
  readonly session: Session;
  readonly size: bigint | null;
}

export function Sessions() {
  const loaded = useLoaded(async (signal) => {
    const page = await sessions.listSessions({ pageSize: 50 }, { signal });
    const kept = await Promise.all(page.sessions.map(async (session): Promise<Kept> => ({ session, size: await sizeOf(session, signal) })));
    return { kept, more: page.nextPageToken !== "" };
  }, []);
  return (
    <Part title="Workspaces and how long they last" means="When its time is over, a workspace gives up its files and documents; the audit log keeps what it says of them." loaded={loaded} none={({ kept }) => (kept.length === 0 ? "There is none." : null)}>
      {({ kept, more }) => (
        <>
          <p class="small">{bytes(kept.reduce((sum, one) => sum + (one.size ?? 0n), 0n))} of uploaded files in {count(kept.length, "workspace")}{more && " (the newest; there are more)"}.</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Workspaces: table">
            <table class="table">
              <thead><tr><th scope="col">Workspace</th><th scope="col" class="right">Files</th><th scope="col" class="right">Size</th><th scope="col">Jobs</th><th scope="col">Ends</th><th scope="col"><span class="out-of-sight">Do</span></th></tr></thead>
              <tbody>{kept.map(({ session, size }) => (
                <tr key={session.sessionId} class={session.state === SessionState.EXPIRED ? "muted" : undefined}>
                  <td><span class="breaks">{session.title || "untitled"}</span>{workspace.value?.sessionId === session.sessionId && <span class="chip accent">this browser's</span>}<br /><code class="small muted">{session.sessionId.slice(0, 8)}</code></td>
                  <td class="right">{session.fileCount}</td>
                  <td class="right">{size === null ? "not told" : bytes(size)}</td>
                  <td class="small">{session.jobCounts ? `${session.jobCounts.active} under way, ${session.jobCounts.answered} answered, ${session.jobCounts.unanswered} not` : "not told"}</td>
                  <td class="small">{session.state === SessionState.EXPIRED ? "over" : moment(session.expiresAt)}</td>
                  <td><Act words="Delete" question={`Delete ${session.title || "this workspace"} with ${count(session.fileCount, "file")}? What runs in it is stopped, what was published of it revoked.`}
                    act={async () => { await sessions.deleteSession({ sessionId: session.sessionId }); if (workspace.value?.sessionId === session.sessionId) leaveWorkspace(); }} done={loaded.again} /></td>
                </tr>
              ))}</tbody>
            </table>
          </div>
        </>
      )}
    </Part>
  );
}

/** Null where it cannot be told, as of a session whose time is over. */
async function sizeOf(session: Session, signal: AbortSignal): Promise<bigint | null> {
  if (session.fileCount === 0) return 0n;
  if (session.state === SessionState.EXPIRED) return null;
  try {
    const found = await files.listFiles({ sessionId: session.sessionId, pageSize: 100 }, { signal });
    return found.files.reduce((sum, file) => sum + file.sizeBytes, 0n);
  } catch {
    return null;
  }
}

export function Domains() {
  const loaded = useLoaded(async (signal) => (await domains.listDomains({ pageSize: 100 }, { signal })).domains, []);
  return (
    <Part title="Domains" means="Named bodies of data that questions are routed to." loaded={loaded} none={(list) => (list.length === 0 ? "None is registered." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.name}><span class="stack tight"><strong class="breaks">{one.displayName || one.name}</strong><span class="small muted breaks">{one.description}</span></span>
              <span class="row small"><span class={`chip ${one.enabled ? "good" : ""}`}>{one.enabled ? "enabled" : "disabled"}</span>
                {one.configured ? <span class="muted">of the operator's file</span>
                  : <Act words="Remove" question={`Forget the domain ${one.name}? Its data stays where it is.`} act={() => domains.removeDomain({ name: one.name })} done={loaded.again} />}</span></li>
          ))}
        </ul>
      )}
    </Part>
  );
}
