// Refusals and failures of calls, with reasons to branch on.
import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";

const DOMAIN = "assay.internal";

/** Reasons of errors that a server did not send, as they read; docs/errors.md has all others. */
export const Reason = {
  Unavailable: "SERVICE_UNAVAILABLE",
  Timeout: "TIMEOUT",
  Cancelled: "CANCELLED",
  Internal: "INTERNAL",
  VerificationFailed: "VERIFICATION_FAILED",
  NotReadable: "SOURCE_NOT_READABLE",
} as const;

// What the transport itself says. A connection that ends in the middle of a call is "aborted" to it.
const FOREIGN = new Map<Code, string>([
  [Code.Unavailable, Reason.Unavailable],
  [Code.Aborted, Reason.Unavailable],
  [Code.DeadlineExceeded, Reason.Timeout],
  [Code.Canceled, Reason.Cancelled],
]);

interface Particulars {
  readonly reason: string;
  readonly remedy?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly particulars?: Readonly<Record<string, string>>;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/**
 * A refusal or failure of a call. Branch on its reason; its words are for people and may change. Its name stays
 * that of ConnectError, which would wrap whatever bears another.
 */
export class AssayError extends ConnectError {
  /** Stable; docs/errors.md lists them. */
  readonly reason: string;
  /** What to do; may be empty. */
  readonly remedy: string;
  /** The fields of the request that are wrong, by their full paths. */
  readonly fields: Readonly<Record<string, string>>;
  /** Further particulars by name. */
  readonly particulars: Readonly<Record<string, string>>;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long to wait before that; 0 where the server does not say. */
  readonly retryAfterMs: number;

  constructor(message: string, code: Code, about: Particulars, cause?: unknown) {
    super(message, code, undefined, undefined, cause);
    this.reason = about.reason;
    this.remedy = about.remedy ?? "";
    this.fields = about.fields ?? {};
    this.particulars = about.particulars ?? {};
    this.retryable = about.retryable ?? false;
    this.retryAfterMs = about.retryAfterMs ?? 0;
    const what = `${this.reason}: ${message}`;
    this.message = this.remedy ? `${what.replace(/\.+$/, "")}. ${this.remedy}` : what;
  }

  /** ConnectError takes every error of its kind for an instance of every class below it. */
  static override [Symbol.hasInstance](one: unknown): boolean {
    return one instanceof Error && "reason" in one && "retryAfterMs" in one;
  }

  /** The AssayError behind whatever a call threw. */
  static of(thrown: unknown): AssayError {
    if (thrown instanceof AssayError) {
      return thrown;
    }
    const error = ConnectError.from(thrown);
    const info = error.findDetails(ErrorInfoSchema).find((one) => one.domain === DOMAIN);
    const again = error.findDetails(RetryInfoSchema)[0];
    const wrong = error.findDetails(BadRequestSchema)[0];
    const broken = info === undefined && (error.code === Code.Unavailable || isBroken(error));
    const { remedy = "", ...particulars } = info?.metadata ?? {};
    return new AssayError(
      error.rawMessage,
      broken ? Code.Unavailable : error.code,
      {
        reason: info?.reason ?? (broken ? Reason.Unavailable : (FOREIGN.get(error.code) ?? Reason.Internal)),
        remedy,
        particulars,
        fields: Object.fromEntries(wrong?.fieldViolations.map((one) => [one.field, one.description]) ?? []),
        retryable: broken || error.code === Code.Unavailable || again !== undefined,
        retryAfterMs: milliseconds(again?.retryDelay),
      },
      thrown,
    );
  }
}

// How a connection looks that was cut: within a call, between two messages, and by the other side's system.
function isBroken(error: ConnectError): boolean {
  return error.code === Code.Aborted || /missing (trailer|status)|stream closed with error code/.test(error.rawMessage);
}

function milliseconds(delay: { seconds: bigint; nanos: number } | undefined): number {
  return delay === undefined ? 0 : Number(delay.seconds) * 1000 + delay.nanos / 1e6;
}
