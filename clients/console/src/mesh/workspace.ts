// The session that this browser works in: where its files are, and its conversations.
import { signal } from "@preact/signals";
import { type Session, SessionState } from "@gen/assay/gateway/v1/session_service_pb";

import { sessions } from "./calls";
import { newId } from "./ids";

const KEY = "assay.session";

/** Null until there is one. */
export const workspace = signal<Session | null>(null);

/** The session of before, where it still lasts. */
export async function findWorkspace(): Promise<Session | null> {
  const id = localStorage.getItem(KEY);
  if (id) {
    try {
      const { session } = await sessions.getSession({ sessionId: id });
      workspace.value = session && session.state !== SessionState.EXPIRED ? session : null;
    } catch {
      workspace.value = null; // it is gone, or somebody else's
    }
  }
  return workspace.value;
}

/** The session of before, or a new one. Throws ConnectError. */
export async function needWorkspace(title = ""): Promise<Session> {
  const found = workspace.value ?? (await findWorkspace());
  return found ?? use((await sessions.createSession({ requestId: newId(), title })).session!);
}

/** Work in this session from now on. */
export function use(session: Session): Session {
  localStorage.setItem(KEY, session.sessionId);
  workspace.value = session;
  return session;
}

/** Begin with an empty one the next time. */
export function leaveWorkspace(): void {
  localStorage.removeItem(KEY);
  workspace.value = null;
}
