// What is stored: sources, workspaces with their files and expiry, domains.
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
    <Part title="Sources" means="Removing a source removes only its name; the data stays where it is." loaded={loaded} none={(list) => (list.length === 0 ? "No sources." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.name}><span class="stack tight"><a class="breaks" href={`/look?source=${encodeURIComponent(one.name)}`}>{one.name}</a><code class="small muted breaks">{placeOf(one.source)}</code></span>
              <span class="row small"><span class="muted">added {moment(one.createdAt)}</span>
                <Act words="Remove" question={`Remove the source ${one.name}? Jobs that used it are kept.`} act={() => sources.removeSource({ name: one.name })} done={loaded.again} /></span></li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function placeOf(source: DataSource | undefined): string {
  return source?.place.value ? String(source.place.value) : "location unknown";
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
    <Part title="Workspaces" means="When a workspace expires, its files and documents are deleted; the audit log keeps its entries about them." loaded={loaded} none={({ kept }) => (kept.length === 0 ? "No workspaces." : null)}>
      {({ kept, more }) => (
        <>
          <p class="small">{bytes(kept.reduce((sum, one) => sum + (one.size ?? 0n), 0n))} of uploaded files in {count(kept.length, "workspace")}{more && " (newest only; there are more)"}.</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Workspaces: table">
            <table class="table">
              <thead><tr><th scope="col">Workspace</th><th scope="col" class="right">Files</th><th scope="col" class="right">Size</th><th scope="col">Jobs</th><th scope="col">Expires</th><th scope="col"><span class="out-of-sight">Actions</span></th></tr></thead>
              <tbody>{kept.map(({ session, size }) => (
                <tr key={session.sessionId} class={session.state === SessionState.EXPIRED ? "muted" : undefined}>
                  <td><span class="breaks">{session.title || "untitled"}</span>{workspace.value?.sessionId === session.sessionId && <span class="chip accent">this browser</span>}<br /><code class="small muted">{session.sessionId.slice(0, 8)}</code></td>
                  <td class="right">{session.fileCount}</td>
                  <td class="right">{size === null ? "unknown" : bytes(size)}</td>
                  <td class="small">{session.jobCounts ? `${session.jobCounts.active} running, ${session.jobCounts.answered} answered, ${session.jobCounts.unanswered} unanswered` : "unknown"}</td>
                  <td class="small">{session.state === SessionState.EXPIRED ? "expired" : moment(session.expiresAt)}</td>
                  <td><Act words="Delete" question={`Delete ${session.title || "this workspace"} with ${count(session.fileCount, "file")}? Its running jobs are stopped, and its publications are revoked.`}
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

/** Null where it is unknown, as of an expired session. */
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
    <Part title="Domains" means="Named sets of data that questions are routed to." loaded={loaded} none={(list) => (list.length === 0 ? "No domains." : null)}>
      {(list) => (
        <ul class="listing">
          {list.map((one) => (
            <li key={one.name}><span class="stack tight"><strong class="breaks">{one.displayName || one.name}</strong><span class="small muted breaks">{one.description}</span></span>
              <span class="row small"><span class={`chip ${one.enabled ? "good" : ""}`}>{one.enabled ? "enabled" : "disabled"}</span>
                {one.configured ? <span class="muted">from the operator's file</span>
                  : <Act words="Remove" question={`Remove the domain ${one.name}? Its data stays where it is.`} act={() => domains.removeDomain({ name: one.name })} done={loaded.again} />}</span></li>
          ))}
        </ul>
      )}
    </Part>
  );
}
