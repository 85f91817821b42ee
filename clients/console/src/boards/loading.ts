// The answer of a run with its rows, loaded once: boards look again every few seconds.
import type { Table } from "apache-arrow";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { readFrame } from "../mesh/frames";

export interface Answer {
  readonly job: Job;
  /** What a chart is of. */
  readonly table: Table | null;
  /** What people read. */
  readonly shown: Table | null;
}

const known = new Map<string, Promise<Answer>>();

export function loadAnswer(jobId: string): Promise<Answer> {
  let found = known.get(jobId);
  if (!found) {
    found = read(jobId);
    known.set(jobId, found);
    found.catch(() => known.delete(jobId));
  }
  return found;
}

async function read(jobId: string): Promise<Answer> {
  const job = (await jobs.getJob({ jobId })).job!;
  const answer = job.result.value;
  const table = answer?.table?.digest ? await readFrame(jobId, answer.table.digest) : null;
  const other = answer?.display?.digest && answer.display.digest !== answer.table?.digest;
  return { job, table, shown: other ? await readFrame(jobId, answer.display!.digest) : table };
}
