// Who is signed in. The cookie is the browser's alone: scripts never see it.
import { signal } from "@preact/signals";

import type { Trouble } from "./errors";
import { forgetKept, keepFor, rememberPlace, takePlace } from "./kept";

export interface Who {
  readonly user: string;
  readonly tenant: string;
  readonly role: "reader" | "analyst" | "operator";
  readonly how: "local" | "token" | "provider";
  readonly until: string;
}

/** Undefined until it is known, null where nobody is signed in. */
export const who = signal<Who | null | undefined>(undefined);

/** Why the sign-in ended; empty where nobody was signed in. */
export const endedBecause = signal("");

/** Ask who is signed in. */
export async function findWho(): Promise<void> {
  const response = await fetch("/who", { method: "POST" });
  const found = response.ok ? ((await response.json()) as Who) : null;
  if (found) goBack(found);
  who.value = found;
}

/** Whoever signs in again comes to where they were; ways to sign in that leave the page lead to the start. */
function goBack({ tenant, user }: Who): void {
  keepFor(`${tenant}/${user}`);
  const back = takePlace();
  if (!back || location.pathname !== "/" || location.search) return;
  history.replaceState(null, "", back);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Sign in with a token; tells what is wrong with it, or nothing. */
export async function signIn(token: string): Promise<Trouble | null> {
  const response = await fetch("/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) {
    const told = (await response.json().catch(() => ({}))) as Partial<Trouble>;
    const words = { reason: "INTERNAL", message: "sign-in failed", remedy: "" };
    return { ...words, ...told, fields: {}, retryable: false };
  }
  endedBecause.value = "";
  await findWho();
  return null;
}

/** Sign this browser out, or with `everywhere` all browsers of this user. */
export async function signOut(everywhere: boolean): Promise<void> {
  await fetch(everywhere ? "/sign-out-everywhere" : "/sign-out", { method: "POST" });
  endedBecause.value = everywhere ? "You are signed out everywhere." : "You are signed out.";
  forgetKept();
  who.value = null;
}

/** The mesh says that nobody is signed in any more. */
export function signedOut(): void {
  if (who.value) {
    endedBecause.value = "Your sign-in has expired, or you were signed out elsewhere. Sign in again to return to where you were.";
    rememberPlace();
  }
  who.value = null;
}
