// Jobs: running and queued ones with their position and user; any of them can be stopped.
import { type Job, JobKind, JobState } from "@gen/assay/common/v1/job_pb";
import { useEffect, useState } from "preact/hooks";

import { jobs, operation } from "../mesh/calls";
import { useLoaded, usePaged } from "../mesh/loading";
import { hasEnded } from "../mesh/watching";
import { StateChip } from "../parts/job_state";
import { count, moment, seconds } from "../words/numbers";
import { Act, Part } from "./part";

const WHICH: readonly (readonly [string, readonly JobState[]])[] = [
  ["all", []],
  ["in progress", [JobState.SUBMITTED, JobState.PLANNING, JobState.EXECUTING, JobState.WAITING]],
  ["done", [JobState.COMPLETED, JobState.PARTIAL_SUCCESS]],
  ["not answered", [JobState.FAILED, JobState.CANCELLED]],
];
const KINDS: readonly (readonly [JobKind, string])[] = [
  [JobKind.UNSPECIFIED, "all"],
  [JobKind.ANALYSIS, "questions"],
  [JobKind.INVESTIGATION, "investigations"],
  [JobKind.CAUSAL, "causal studies"],
];
const FRESH_MILLISECONDS = 4000;
const PAGE = 20;

export function Jobs({ by, choose, trace }: { by: string; choose: (user: string) => void; trace: (jobId: string) => void }) {
  const [which, setWhich] = useState(0);
  const [kind, setKind] = useState(JobKind.UNSPECIFIED);
  const users = useLoaded(async (signal) => (await operation.listUsers({}, { signal })).users.map((user) => user.name).filter((name) => name !== ""), []);
  const { loaded, more } = usePaged(
    async (pageToken, signal) => {
      const found = await jobs.listJobs({ pageSize: PAGE, pageToken, states: [...WHICH[which]![1]], kind, askedBy: by }, { signal });
      return { items: found.jobs, next: found.nextPageToken };
    },
    [which, kind, by],
  );
  const running = loaded.value?.items.some((job) => !hasEnded(job.state)) ?? false;
  useEffect(() => {
    if (!running || loaded.loading) return;
    const timer = setTimeout(loaded.again, FRESH_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [running, loaded.value, loaded.loading]);
  return (
    <Part title="Jobs" means="The jobs of everyone in your tenant, newest first." loaded={loaded} none={({ items }) => (items.length === 0 ? "No jobs." : null)}
      beside={<>
        <label class="row small">Asked by<select class="narrow" value={by} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">anyone</option>{by && !users.value?.includes(by) && <option value={by}>{by}</option>}{users.value?.map((name) => <option value={name}>{name}</option>)}</select></label>
        <label class="row small">Kind<select class="narrow" value={kind} onChange={(event) => setKind(Number(event.currentTarget.value))}>{KINDS.map(([one, name]) => <option value={one}>{name}</option>)}</select></label>
        <label class="row small">Show<select class="narrow" value={which} onChange={(event) => setWhich(Number(event.currentTarget.value))}>{WHICH.map(([name], at) => <option value={at}>{name}</option>)}</select></label>
      </>}>
      {({ items }) => (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Jobs: table">
            <table class="table">
              <thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">Asked by</th><th scope="col">Created</th><th scope="col" class="right">Duration</th><th scope="col"><span class="out-of-sight">Actions</span></th></tr></thead>
              <tbody>{items.map((job) => <Line key={job.jobId} job={job} done={loaded.again} trace={trace} choose={choose} />)}</tbody>
            </table>
          </div>
          {more && <p><button type="button" class="button little" disabled={loaded.loading} onClick={more}>Show more</button></p>}
        </>
      )}
    </Part>
  );
}

function Line({ job, done, trace, choose }: { job: Job; done: () => void; trace: (jobId: string) => void; choose: (user: string) => void }) {
  const place = job.progress?.queuePosition;
  return (
    <tr>
      <td><a class="breaks" href={placeOf(job)}>{askedOf(job)}</a><br /><code class="small muted">{job.jobId.slice(0, 8)}</code></td>
      <td><StateChip state={job.state} />{place !== undefined && place > 0 && <span class="small muted"> {count(place, "job")} ahead of it</span>}
        {!hasEnded(job.state) && job.progress && <span class="small muted breaks"> {job.progress.percent} % {job.progress.reason}</span>}
        {job.failure && <><br /><code class="small">{job.failure.reason}</code></>}</td>
      <td>{job.askedBy ? <button type="button" class="button little plain" onClick={() => choose(job.askedBy)}><span class="breaks">{job.askedBy}</span></button> : <span class="muted">the mesh</span>}</td>
      <td class="small">{moment(job.createdAt)}</td>
      <td class="right">{seconds(job.elapsed)}</td>
      <td><div class="row"><button type="button" class="button little" onClick={() => trace(job.jobId)}>Trace</button>
        {!hasEnded(job.state) && <Act words="Stop" question={`Stop “${askedOf(job)}”? Finished work is kept.`} act={() => jobs.cancelJob({ jobId: job.jobId })} done={done} />}</div></td>
    </tr>
  );
}

function askedOf(job: Job): string {
  return job.understood || (job.work.case === "analysis" ? job.work.value.intent || job.work.value.statement : job.work.value?.question) || "untitled";
}

function placeOf(job: Job): string {
  if (job.work.case === "investigation") return `/why/${job.jobId}`;
  if (job.work.case === "causal") return `/cause/${job.jobId}`;
  return job.conversationId ? `/ask/${job.conversationId}` : `/proof/${job.jobId}`;
}
