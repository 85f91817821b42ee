// Watch a job through broken connections, by sequence number.
import type { CallOptions, Client } from "@connectrpc/connect";

import type { JobEvent } from "../gen/assay/common/v1/job_pb.js";
import type { JobService } from "../gen/assay/gateway/v1/job_service_pb.js";
import { patiently } from "./calling.js";
import { cancelling } from "./cancelling.js";
import { AssayError } from "./errors.js";

// A job is watched for longer than any may take: a causal one has at most an hour.
const WATCH_MS = 4_000_000;

export async function* watch(
  jobs: Client<typeof JobService>,
  delays: readonly number[],
  jobId: string,
  after: number,
  options: CallOptions = {},
): AsyncGenerator<JobEvent, void> {
  let seen = BigInt(after);
  for (let failures = 0; ; failures++) {
    try {
      const request = { jobId, afterSequence: seen };
      const stream = cancelling((more) => jobs.watchJob(request, more), { timeoutMs: WATCH_MS, ...options });
      for await (const { event } of stream) {
        // A place in the queue, and how far a model or the reading of a file is, are told and not
        // kept: they have the number of what came before them.
        const passing = event!.event.case === "progress";
        if (event!.sequence <= seen && !passing) {
          continue;
        }
        seen = event!.sequence > seen ? event!.sequence : seen;
        failures = 0;
        yield event!;
      }
      return;
    } catch (thrown) {
      await patiently(AssayError.of(thrown), delays, failures, options.signal);
    }
  }
}
