// One answer by itself, wherever it was asked: by the command, by a program, on a board.
import { useLocation, useRoute } from "preact-iso";
import { JobState } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { useWatched } from "../mesh/watching";
import { Answered } from "../parts/answered";
import { InTrouble, Waiting } from "../parts/states";
import { Steps } from "../parts/steps";
import { moment } from "../words/numbers";

export function AnswerAlone() {
  const { params } = useRoute();
  const { route } = useLocation();
  const jobId = params["job"] ?? "";
  const { job, state, steps, understood, trouble, again } = useWatched(jobId);
  const asked = job?.work.case === "analysis" ? job.work.value.intent || "SQL statement" : job?.understood;
  const going = [JobState.SUBMITTED, JobState.PLANNING, JobState.EXECUTING].includes(state);
  /** A change begins a thread, whose first turn is this answer. */
  const goOn = (words: string) => route(`/ask?${new URLSearchParams({ job: jobId, q: words })}`);
  return (
    <>
      <header>
        <div><h1 class="breaks">{asked || "Answer"}</h1>{job && <p class="muted">{moment(job.createdAt)}</p>}</div>
        {going && <button type="button" class="button" onClick={() => void jobs.cancelJob({ jobId }).then(again)}>Stop</button>}
        {job?.work.case === "analysis" && job.result.case === "answer" && <a class="button" href={`/ask?job=${jobId}`}>Continue in a conversation</a>}
        {job?.conversationId && <a class="button" href={`/ask/${job.conversationId}`}>Open conversation</a>}
      </header>
      <InTrouble trouble={trouble} again={again} />
      {!job && !trouble && <Waiting />}
      {going && <div class="card" aria-live="polite"><p class="breaks">{understood}</p><Steps steps={steps} /></div>}
      {job?.result.case === "answer" && <Answered job={job} say={job.work.case === "analysis" ? goOn : null} />}
      {job?.failure && (
        <div class="note warn"><p class="breaks">{job.failure.message}</p>{job.failure.hint && <p class="breaks">{job.failure.hint}</p>}<p><code>{job.failure.reason}</code></p></div>
      )}
      {job?.clarification && (
        <div class="note warn">
          <p class="breaks">{job.clarification.question}</p>
          <ol class="stack tight">
            {job.clarification.options.map((option) => (
              <li class="row">
                <button type="button" class="button little" onClick={() => void jobs.answerJob({ jobId, reply: { case: "optionId", value: option.optionId } }).then(again)}>Choose</button>
                <span class="breaks">{option.text}{option.glimpse && <span class="muted"> · {option.glimpse}</span>}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}
