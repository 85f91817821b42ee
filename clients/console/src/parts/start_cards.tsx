// Below the question on Home: data, a place to drop more, questions it can answer, recent questions.
import type { Job } from "@gen/assay/common/v1/job_pb";

import { files, jobs, sources } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { begun, findWorkspace, leaveWorkspace, workspace } from "../mesh/workspace";
import { Drop } from "../parts/drop";
import { Empty, InTrouble, Waiting } from "../parts/states";
import { count, moment } from "../words/numbers";

export function StartCards() {
  const data = useLoaded(async (signal) => {
    const session = await findWorkspace();
    const known = await sources.listSources({ pageSize: 20 }, { signal });
    const stored = session ? (await files.listFiles({ sessionId: session.sessionId }, { signal })).files : [];
    return { known: known.sources, stored };
  }, [begun.value]);
  const questions = useLoaded(async (signal) => {
    if (!data.value || data.value.stored.length === 0) return [];
    const dataSources = data.value.stored.map((file) => ({ place: { case: "fileId" as const, value: file.fileId } }));
    const { look } = await jobs.lookAtSources({ dataSources, sessionId: workspace.value!.sessionId }, { signal });
    return look?.questions ?? [];
  }, [data.value]);
  const before = useLoaded(async (signal) => {
    const found = (await jobs.listJobs({ pageSize: 40 }, { signal })).jobs;
    return threads(found).slice(0, 10);
  }, []);

  return (
    <>
      {questions.value && questions.value.length > 0 && (
        <div class="questions" aria-label="Questions that this data can answer">
          {questions.value.map((question) => <a class="chip" href={`/ask?q=${encodeURIComponent(question)}`}>{question}</a>)}
        </div>
      )}
      <div class="cards">
        <section class="card" aria-labelledby="data-here">
          <div class="row apart"><h2 id="data-here">Data</h2>
            {data.value && data.value.stored.length > 0 && <button type="button" class="button little" onClick={leaveWorkspace}>New workspace</button>}</div>
          {data.loading && <Waiting />}
          <InTrouble trouble={data.trouble} again={data.again} />
          <ul class="listing">
            {data.value?.stored.map((file) => <li><a href="/look">{file.originalName}</a><span class="muted small">{count(file.rowCount, "row")}</span></li>)}
            {data.value?.known.map((source) => <li><a href={`/look?source=${encodeURIComponent(source.name)}`}>{source.name}</a><span class="muted small">source</span></li>)}
          </ul>
          <Drop stored={data.again} />
        </section>
        <section class="card" aria-labelledby="answers-before">
          <h2 id="answers-before">Recent questions</h2>
          {before.loading && <Waiting />}
          <InTrouble trouble={before.trouble} again={before.again} />
          {before.value?.length === 0 && <Empty title="No questions yet" />}
          <ul class="listing">
            {before.value?.map((job) => (
              <li><a href={addressOf(job)}>{titleOf(job)}</a><span class="muted small">{KINDS[job.work.case ?? ""] ?? ""} {moment(job.createdAt)}</span></li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { investigation: "why ·", causal: "cause ·" };

/** The first job of each conversation: its question is the title. */
function threads(found: readonly Job[]): Job[] {
  const first = new Map<string, Job>();
  for (const job of found) first.set(job.conversationId || job.jobId, job); // newest come first
  return [...first.values()];
}

function addressOf(job: Job): string {
  if (job.work.case === "causal") return `/cause/${job.jobId}`;
  if (job.work.case === "investigation") return `/why/${job.jobId}`;
  return job.conversationId ? `/ask/${job.conversationId}` : `/answer/${job.jobId}`;
}

function titleOf(job: Job): string {
  const asked = job.work.case === "analysis" ? job.work.value.intent : "";
  return asked || job.understood || "SQL statement";
}
