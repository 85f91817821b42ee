// What steps of a job that goes on gave, as far as it may be seen before the end: their frames, read when they are told.
import type { Job, Step } from "@gen/assay/common/v1/job_pb";
import { useRef } from "preact/hooks";

import { plain } from "../words/cells";
import { jobs } from "./calls";
import { readFrame } from "./frames";
import type { Made, Row } from "./job_frames";
import { type Loaded, useLoaded } from "./loading";

/** Steps with frames that may be seen already, in their order. */
export function useEarly(jobId: string, steps: readonly Step[]): Loaded<readonly Made[]> {
  const known = useRef(new Map<string, Made>());
  const shown = steps.filter((step) => step.frame);
  return useLoaded(async (signal) => {
    const fresh = shown.filter((step) => !known.current.has(step.frame!.digest));
    const job = fresh.length > 0 ? (await jobs.getJob({ jobId }, { signal })).job : undefined;
    for (const step of fresh) known.current.set(step.frame!.digest, await read(jobId, step, job, signal));
    return shown.map((step) => known.current.get(step.frame!.digest)!);
  }, [jobId, shown.map((step) => step.frame!.digest).join()]);
}

async function read(jobId: string, step: Step, job: Job | undefined, signal: AbortSignal): Promise<Made> {
  const { digest } = step.frame!;
  const table = await readFrame(jobId, digest, signal);
  const columns = table.schema.fields.map((field, at) => ({ field, cells: table.getChildAt(at)! }));
  const rows: readonly Row[] = Array.from({ length: table.numRows }, (_, row) => Object.fromEntries(columns.map(({ field, cells }) => [field.name, plain(cells.get(row), field.type)])));
  const task = job?.plan?.subtasks.find((one) => one.taskId === step.taskId);
  return { taskId: step.taskId, tool: step.toolName, digest, notes: [], asked: task ? (JSON.parse(task.argumentsJson) as Made["asked"]) : {}, rows };
}
