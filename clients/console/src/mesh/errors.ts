// Refusals and failures as people read them, whatever they came by.
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@gen/google/rpc/error_details_pb";

const DOMAIN = "assay.internal";

/** What went wrong: a stable reason (docs/errors.md), words for people, and what to do. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
  readonly remedy: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly retryable: boolean;
}

/** The error that was thrown; null for a cancelled call. */
export function troubleOf(thrown: unknown): Trouble | null {
  if (thrown instanceof DOMException && thrown.name === "AbortError") return null;
  const error = ConnectError.from(thrown);
  if (error.code === Code.Canceled) return null;
  const info = error.findDetails(ErrorInfoSchema).find((one) => one.domain === DOMAIN);
  const violations = error.findDetails(BadRequestSchema).flatMap((one) => one.fieldViolations);
  const reason = info?.reason ?? (AWAY.has(error.code) ? "SERVICE_UNAVAILABLE" : "INTERNAL");
  const away = info === undefined && AWAY.has(error.code);
  return {
    reason,
    message: away ? "the mesh cannot be reached" : error.rawMessage,
    remedy: info?.metadata["remedy"] ?? (away ? "Retrying automatically. Is `assay up` still running?" : ""),
    fields: Object.fromEntries(violations.map((one) => [one.field, one.description])),
    retryable: away || error.findDetails(RetryInfoSchema).length > 0,
  };
}

/** Whether signing in again is what helps. */
export function isSignedOut(trouble: Trouble | null): boolean {
  return trouble !== null && ["SIGN_IN_ENDED", "TOKEN_REQUIRED", "TOKEN_EXPIRED", "TOKEN_REFUSED"].includes(trouble.reason);
}

const AWAY = new Set([Code.Unavailable, Code.Unknown, Code.Aborted, Code.DeadlineExceeded]);
