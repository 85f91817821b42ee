// The session that this browser works in: where its files are, and its conversations.
import { effect, signal } from "@preact/signals";
import { type Session, SessionState } from "@gen/assay/gateway/v1/session_service_pb";

import { refusedFor, sessions } from "./calls";
import { troubleOf } from "./errors";
import { newId } from "./ids";

const KEY = "assay.session";

/** Null until there is one. */
export const workspace = signal<Session | null>(null);

/** What became of a session that this browser worked in; empty while it lasts. */
export const over = signal<"" | "expired" | "deleted">("");

/** How often a workspace was begun on purpose: pages that show the one before look again. */
export const begun = signal(0);

/** The previous session, if it has not expired. */
export async function findWorkspace(): Promise<Session | null> {
  const id = localStorage.getItem(KEY);
  if (id) {
    try {
      const { session } = await sessions.getSession({ sessionId: id });
      const expired = session?.state === SessionState.EXPIRED;
      if (expired) over.value = "expired";
      workspace.value = session && !expired ? session : null;
    } catch {
      workspace.value = null; // it was deleted, or belongs to somebody else
    }
  }
  return workspace.value;
}

/** Whether the session that pages show is still there; it may be deleted or expire while they are open. */
async function lookAgain(): Promise<void> {
  const id = workspace.peek()?.sessionId;
  if (!id) return;
  try {
    const { session } = await sessions.getSession({ sessionId: id });
    if (session?.state === SessionState.EXPIRED) over.value = "expired";
  } catch (thrown) {
    if (troubleOf(thrown)?.reason === "NOT_FOUND") over.value = "deleted";
  }
}

let looking = false;
effect(() => {
  const { reason } = refusedFor.value;
  if (reason === "SESSION_EXPIRED") over.value = "expired";
  if (reason !== "NOT_FOUND" || looking) return;
  looking = true;
  void lookAgain().finally(() => (looking = false));
});

/** The previous session, or a new one. Throws ConnectError. */
export async function needWorkspace(title = ""): Promise<Session> {
  const found = workspace.value ?? (await findWorkspace());
  return found ?? use((await sessions.createSession({ requestId: newId(), title })).session!);
}

/** Work in this session from now on. */
export function use(session: Session): Session {
  localStorage.setItem(KEY, session.sessionId);
  workspace.value = session;
  over.value = "";
  return session;
}

/** Begin with an empty one the next time. */
export function leaveWorkspace(): void {
  localStorage.removeItem(KEY);
  workspace.value = null;
  over.value = "";
  begun.value += 1;
}
