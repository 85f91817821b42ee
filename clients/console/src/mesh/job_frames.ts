// What each step of a job gave: its frame's digest from the audit log, and its rows from the texts that an investigation
// keeps of every iteration (docs/investigations.md). Frames themselves can be read where the answer names them alone.
import type { Job } from "@gen/assay/common/v1/job_pb";

import { audit } from "./calls";
import { readArtifact } from "./saving";

export type Cell = number | string | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

export interface Made {
  readonly taskId: string;
  readonly tool: string;
  readonly digest: string;
  readonly notes: readonly string[];
  readonly asked: Readonly<Record<string, unknown>>;
  /** Null where the frame was too large to be kept as text. */
  readonly rows: readonly Row[] | null;
}

interface Called { task_id?: string; tool_name?: string; call_id?: string; arguments?: Record<string, unknown> }
interface Observed { call_id?: string; frame_digest?: string | null; notes?: string[] }

/** Steps that gave a frame, in their order; of a step that was tried again the newest. Throws ConnectError. */
export async function findMade(job: Job, signal: AbortSignal): Promise<readonly Made[]> {
  const rows = await readOutputs(job, signal);
  const calls = new Map<string, Called>();
  const made = new Map<string, Made>();
  let pageToken = "";
  do {
    const page = await audit.listEntries({ jobId: job.jobId, pageSize: 1000, pageToken }, { signal });
    for (const entry of page.entries) {
      if (entry.eventType === "tool_called") {
        const call = JSON.parse(entry.eventDataJson) as Called;
        if (call.call_id) calls.set(call.call_id, call);
      } else if (entry.eventType === "observation_recorded") {
        const seen = JSON.parse(entry.eventDataJson) as Observed;
        const call = calls.get(seen.call_id ?? "");
        if (!call?.task_id || !seen.frame_digest) continue;
        made.set(call.task_id, {
          taskId: call.task_id, tool: call.tool_name ?? "", digest: seen.frame_digest,
          notes: seen.notes ?? [], asked: call.arguments ?? {}, rows: rows.get(call.task_id) ?? null,
        });
      }
    }
    pageToken = page.nextPageToken;
  } while (pageToken);
  return [...made.values()];
}

async function readOutputs(job: Job, signal: AbortSignal): Promise<ReadonlyMap<string, readonly Row[]>> {
  const files = [...(job.result.value?.artifacts ?? []), ...job.partialArtifacts].filter((one) => /\/output_\d+\.txt$/.test(one.contentRef));
  const texts = await Promise.all(files.map(async (file) => (await readArtifact(file, signal)).text()));
  return new Map(texts.flatMap(rowsByTask));
}

/** `task (tool): summary`, then notes, then a JSON object a line. */
export function rowsByTask(text: string): readonly (readonly [string, readonly Row[]])[] {
  const found: [string, Row[]][] = [];
  for (const line of text.split("\n")) {
    const head = /^(\S+) \(\w+\.\w+\): /.exec(line);
    if (head) found.push([head[1]!, []]);
    else if (line.startsWith("{") && found.length > 0) found.at(-1)![1].push(parsed(line));
  }
  return found.filter(([, rows]) => rows.length > 0);
}

/** As Python writes it: numbers that are none stand bare. */
function parsed(line: string): Row {
  try {
    return JSON.parse(line) as Row;
  } catch {
    return JSON.parse(line.replaceAll(/(?<=: )(NaN|-?Infinity)(?=[,}])/g, "null")) as Row;
  }
}
