// Jobs of one kind, newest first, each with where it is.
import type { JobKind } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { moment } from "../words/numbers";
import { StateChip } from "./job_state";
import { Empty, InTrouble, Waiting } from "./states";

interface Props {
  readonly kind: JobKind;
  readonly place: string;
  readonly title: string;
  readonly none: string;
}

export function JobsBefore({ kind, place, title, none }: Props) {
  const before = useLoaded(async (signal) => (await jobs.listJobs({ kind, pageSize: 12 }, { signal })).jobs, [kind]);
  return (
    <section class="card" aria-labelledby="jobs-before">
      <h2 id="jobs-before">{title}</h2>
      {before.loading && !before.value && <Waiting />}
      <InTrouble trouble={before.trouble} again={before.again} />
      {before.value?.length === 0 && <Empty title={none} />}
      <ul class="listing">
        {before.value?.map((job) => (
          <li key={job.jobId}><a class="breaks" href={`/${place}/${job.jobId}`}>{job.understood || "Untitled"}</a>
            <span class="row small"><StateChip state={job.state} /><span class="muted">{moment(job.createdAt)}</span></span></li>
        ))}
      </ul>
    </section>
  );
}
