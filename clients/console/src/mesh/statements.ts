// Statements about what an answer was about: they run as they are, are checked, and have proofs of their own.
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "./calls";
import { newId } from "./ids";

/** Run a statement over the sources of an analysis, under its policy and limits; the job's id. Throws ConnectError. */
export async function submitStatement(job: Job, statement: string): Promise<string> {
  const requestId = newId();
  if (job.work.case !== "analysis") throw new Error("only analyses have statements");
  const { dataSources, policy, constraints } = job.work.value;
  const analysis = { statement, dataSources, ...(policy ? { policy } : {}), ...(constraints ? { constraints } : {}) };
  await jobs.createJob({ requestId, sessionId: job.sessionId, work: { case: "analysis", value: analysis } });
  return requestId;
}
