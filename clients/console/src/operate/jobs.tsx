// Jobs: what runs, what waits and in which place, what was refused and why; with the way to stop one.
import { type Job, JobState } from "@gen/assay/common/v1/job_pb";
import { useEffect, useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { hasEnded } from "../mesh/watching";
import { StateChip } from "../parts/job_state";
import { count, moment, seconds } from "../words/numbers";
import { Act, Part } from "./part";

const WHICH: readonly (readonly [string, readonly JobState[]])[] = [
  ["all", []],
  ["under way", [JobState.SUBMITTED, JobState.PLANNING, JobState.EXECUTING, JobState.WAITING]],
  ["done", [JobState.COMPLETED, JobState.PARTIAL_SUCCESS]],
  ["not answered", [JobState.FAILED, JobState.CANCELLED]],
];
const FRESH_MILLISECONDS = 4000;
const PAGE = 20;

export function Jobs({ trace }: { trace: (jobId: string) => void }) {
  const [which, setWhich] = useState(0);
  const [most, setMost] = useState(PAGE);
  const loaded = useLoaded(async (signal) => {
    const found = await jobs.listJobs({ pageSize: most, states: [...WHICH[which]![1]] }, { signal });
    return { list: found.jobs, more: found.nextPageToken !== "" };
  }, [which, most]);
  const running = loaded.value?.list.some((job) => !hasEnded(job.state)) ?? false;
  useEffect(() => {
    if (!running || loaded.loading) return;
    const timer = setTimeout(loaded.again, FRESH_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [running, loaded.value, loaded.loading]);
  return (
    <Part title="Jobs" means="Yours, newest first: the contract lists nobody else's." loaded={loaded} none={({ list }) => (list.length === 0 ? "None." : null)}
      beside={<label class="row small">Show<select class="narrow" value={which} onChange={(event) => setWhich(Number(event.currentTarget.value))}>{WHICH.map(([name], at) => <option value={at}>{name}</option>)}</select></label>}>
      {({ list, more }) => (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Jobs: table">
            <table class="table">
              <thead><tr><th scope="col">What</th><th scope="col">State</th><th scope="col">Asked</th><th scope="col" class="right">Took</th><th scope="col"><span class="out-of-sight">Do</span></th></tr></thead>
              <tbody>{list.map((job) => <Line key={job.jobId} job={job} done={loaded.again} trace={trace} />)}</tbody>
            </table>
          </div>
          {more && most < 100 && <p><button type="button" class="button little" onClick={() => setMost(100)}>Show more</button></p>}
        </>
      )}
    </Part>
  );
}

function Line({ job, done, trace }: { job: Job; done: () => void; trace: (jobId: string) => void }) {
  const place = job.progress?.queuePosition;
  return (
    <tr>
      <td><a class="breaks" href={placeOf(job)}>{askedOf(job)}</a><br /><code class="small muted">{job.jobId.slice(0, 8)}</code></td>
      <td><StateChip state={job.state} />{place !== undefined && place > 0 && <span class="small muted"> {count(place, "job")} before it</span>}
        {!hasEnded(job.state) && job.progress && <span class="small muted breaks"> {job.progress.percent} % {job.progress.reason}</span>}
        {job.failure && <><br /><code class="small">{job.failure.reason}</code></>}</td>
      <td class="small">{moment(job.createdAt)}</td>
      <td class="right">{seconds(job.elapsed)}</td>
      <td><div class="row"><button type="button" class="button little" onClick={() => trace(job.jobId)}>Trace</button>
        {!hasEnded(job.state) && <Act words="Stop" question={`Stop “${askedOf(job)}”? What was finished is kept.`} act={() => jobs.cancelJob({ jobId: job.jobId })} done={done} />}</div></td>
    </tr>
  );
}

function askedOf(job: Job): string {
  return job.understood || (job.work.case === "analysis" ? job.work.value.intent || job.work.value.statement : job.work.value?.question) || "not read yet";
}

function placeOf(job: Job): string {
  if (job.work.case === "investigation") return `/why/${job.jobId}`;
  if (job.work.case === "causal") return `/cause/${job.jobId}`;
  return job.conversationId ? `/ask/${job.conversationId}` : `/proof/${job.jobId}`;
}

/** What was not answered, by reason: what people ask for and do not get. */
export function Refusals() {
  const loaded = useLoaded(async (signal) => {
    const { jobs: list } = await jobs.listJobs({ pageSize: 100, states: [JobState.FAILED] }, { signal });
    const byReason = new Map<string, Job[]>();
    for (const job of list) byReason.set(job.failure?.reason ?? "not told", [...(byReason.get(job.failure?.reason ?? "not told") ?? []), job]);
    return [...byReason].sort((a, b) => b[1].length - a[1].length);
  }, []);
  return (
    <Part title="Refusals" means="Of the last hundred that were not answered, by reason." loaded={loaded} none={(found) => (found.length === 0 ? "Nothing was refused." : null)}>
      {(found) => (
        <ul class="listing">
          {found.map(([reason, list]) => (
            <li><details class="whole"><summary><code>{reason}</code> <span class="muted">{count(list.length, "job")}</span></summary>
              <ul class="stack tight under">{list.slice(0, 12).map((job) => <li class="small breaks"><a href={placeOf(job)}>{askedOf(job)}</a> <span class="muted">{job.failure?.message}</span></li>)}</ul></details></li>
          ))}
        </ul>
      )}
    </Part>
  );
}
