// The metric day by day before both periods, for the placebo periods: a question of its own, with a proof of its own.
// Its id follows from the investigation's: asking it again makes nothing twice.
import type { DateRange } from "@gen/assay/common/v1/investigation_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { readFrame } from "../mesh/frames";
import type { Made } from "../mesh/job_frames";
import { plain } from "../words/cells";
import { type OfDay, placebosOf } from "./frames";

export interface Placebos {
  readonly jobId: string;
  readonly changes: readonly number[];
}

/** Null where the investigation tells no rows to add up. Throws ConnectError. */
export async function findPlacebos(job: Job, history: Made, baseline: DateRange, comparison: DateRange, signal: AbortSignal): Promise<Placebos | null> {
  const relation = history.asked["relation"];
  if (job.work.case !== "investigation" || typeof relation !== "string") return null;
  const jobId = await idAfter(`placebo periods of ${job.jobId}`);
  const ratio = typeof history.asked["denominator"] === "string";
  const from = String(history.asked["history_start"] ?? "");
  const statement = `SELECT CAST(assay_time AS DATE) AS day, sum(assay_numerator) AS numerator${ratio ? ", sum(assay_denominator) AS denominator" : ""}
FROM (${relation}) AS rows_of_it WHERE assay_time IS NOT NULL${/^\d{4}-\d\d-\d\d$/.test(from) ? ` AND CAST(assay_time AS DATE) >= DATE '${from}'` : ""} GROUP BY 1 ORDER BY 1`;
  const { dataSources, policy } = job.work.value;
  await jobs.createJob({ requestId: jobId, sessionId: job.sessionId, work: { case: "analysis", value: { statement, dataSources, ...(policy ? { policy } : {}) } } }, { signal });
  for await (const _ of jobs.watchJob({ jobId }, { signal }));
  const found = (await jobs.getJob({ jobId }, { signal })).job;
  const digest = found?.result.value?.table?.digest;
  if (!digest) return null;
  const table = await readFrame(jobId, digest, signal);
  const column = (name: string) => table.schema.fields.findIndex((field) => field.name === name);
  const cell = (row: number, name: string) => {
    const at = column(name);
    return at < 0 ? null : plain(table.getChildAt(at)!.get(row), table.schema.fields[at]!.type);
  };
  const days: OfDay[] = Array.from({ length: table.numRows }, (_, row) => ({
    at: Number(cell(row, "day")), numerator: Number(cell(row, "numerator") ?? 0), denominator: ratio ? Number(cell(row, "denominator") ?? 0) : null,
  }));
  return { jobId, changes: placebosOf(days, baseline, comparison) };
}

async function idAfter(words: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
