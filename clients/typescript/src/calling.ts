// What every call of a client has in common: identity, repetitions, errors with reasons.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { ConnectError, type Interceptor } from "@connectrpc/connect";

import { AssayError } from "./errors.js";

/** Pauses before a call is made again while nobody serves: longer than a gateway takes to be started again. */
export const RETRY_DELAYS_MS: readonly number[] = [50, 200, 500, 1000, 2000, 3000, 4000, 4000, 4000];

// Among the particulars of an error where the mesh itself waited in vain for a service of its own.
const WAITED = "waited_seconds";

// As whom a mesh on this machine is asked by default, as by the command assay.
const LOCAL_USER = "local";

// Calls that are not made again: a second one could do something else than the first.
const ONCE_ONLY = new Set(["CreateToken", "AnswerJob"]);

/** A fresh id as requests want it: whoever repeats a request with its id makes nothing twice. */
export function newId(): string {
  const id = randomBytes(16);
  id[6] = (id[6]! & 0x0f) | 0x40;
  id[8] = (id[8]! & 0x3f) | 0x80;
  return id.toString("hex");
}

export interface Caller {
  readonly token?: string;
  readonly user?: string;
  readonly retryDelaysMs: readonly number[];
}

/** Gives a call its caller, makes one with one answer again while trying again helps, tells errors. */
export function calling(caller: Caller): Interceptor {
  const user = caller.user || (caller.token ? "" : LOCAL_USER);
  return (next) => async (request) => {
    request.header.set("x-assay-request", newId());
    if (caller.token) {
      request.header.set("authorization", `Bearer ${caller.token}`);
    }
    if (user) {
      request.header.set("x-assay-user", user);
    }
    if (request.stream) {
      try {
        const response = await next(request);
        return response.stream ? { ...response, message: told(response.message) } : response;
      } catch (thrown) {
        throw AssayError.of(thrown);
      }
    }
    const delays = ONCE_ONLY.has(request.method.name) ? [] : caller.retryDelaysMs;
    return repeated(delays, request.signal, () => next(request));
  };
}

async function* told<T>(messages: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw AssayError.of(thrown);
  }
}

/**
 * What a call gives, made again after each delay while trying again helps. Throws AssayError; what is no failure of
 * a call, such as a file that is not there, stays what it is.
 */
export async function repeated<T>(
  delays: readonly number[],
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await call();
    } catch (thrown) {
      if (!(thrown instanceof ConnectError)) {
        throw thrown;
      }
      const error = AssayError.of(thrown);
      if (WAITED in error.particulars) {
        throw error;
      }
      await patiently(error, delays, failures, signal);
    }
  }
}

/** Waits before the next try; throws the error where there is none. */
export async function patiently(
  error: AssayError,
  delays: readonly number[],
  failures: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const delay = delays[failures];
  if (!error.retryable || delay === undefined) {
    throw error;
  }
  try {
    await sleep(Math.max(delay, error.retryAfterMs), undefined, { signal });
  } catch {
    throw error; // time ran out: what happened says more than that
  }
}
