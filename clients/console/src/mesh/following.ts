// A job while it goes: asked for as it stands, then watched; a broken stream is taken up where it broke.
import { useEffect, useState } from "preact/hooks";
import { type Job, JobState } from "@gen/assay/common/v1/job_pb";

import { jobs } from "./calls";
import { type Trouble, troubleOf } from "./errors";

const AGAIN_MILLISECONDS = [300, 1000, 2000, 4000, 8000];
const OVER = new Set([JobState.COMPLETED, JobState.FAILED, JobState.PARTIAL_SUCCESS, JobState.CANCELLED, JobState.WAITING]);

/** The job as it stands now, told again after each of its events; and what is wrong, if anything. */
export function useJob(jobId: string): { job: Job | null; trouble: Trouble | null; again: () => void } {
  const [state, setState] = useState<{ job: Job | null; trouble: Trouble | null }>({ job: null, trouble: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState({ job: null, trouble: null });
    if (jobId) void follow(jobId, stop.signal, (job) => setState({ job, trouble: null }), (trouble) => setState((before) => ({ ...before, trouble })));
    return () => stop.abort();
  }, [jobId, round]);
  return { ...state, again: () => setRound((before) => before + 1) };
}

async function follow(
  jobId: string,
  signal: AbortSignal,
  stands: (job: Job) => void,
  troubled: (trouble: Trouble | null) => void,
): Promise<void> {
  let after = 0n;
  for (let failures = 0; ; failures++) {
    try {
      const { job } = await jobs.getJob({ jobId }, { signal });
      stands(job!);
      if (OVER.has(job!.state)) return;
      for await (const { event } of jobs.watchJob({ jobId, afterSequence: after }, { signal })) {
        failures = 0;
        after = event!.sequence;
        if (event!.event.case !== "progress") stands((await jobs.getJob({ jobId }, { signal })).job!);
      }
      failures = -1; // it has ended, or waits: asked for once more
    } catch (thrown) {
      if (signal.aborted) return;
      const trouble = troubleOf(thrown);
      troubled(trouble);
      const pause = AGAIN_MILLISECONDS[failures];
      if (!trouble?.retryable || pause === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
