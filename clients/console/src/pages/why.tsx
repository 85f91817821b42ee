// Why: an investigation of why a metric moved, from its beginning to what it found.
import { JobKind } from "@gen/assay/common/v1/job_pb";
import { useRoute } from "preact-iso";

import "../styles/why.css";
import { who } from "../mesh/who";
import { JobsBefore } from "../parts/jobs_before";
import { Form } from "../why/form";
import { Investigation } from "../why/investigation";

export function Why() {
  const { params } = useRoute();
  const jobId = params["job"] ?? "";
  if (jobId) return <Investigation key={jobId} jobId={jobId} />;
  return (
    <>
      <header><div><h1>Why did it move?</h1>
        <p class="muted">Searches every segment of the data, and compares what it finds with what the same search finds by chance.</p></div></header>
      <div class="form-beside">
        {who.value?.role === "reader" ? <p class="note">You are signed in as a reader: you can view investigations. Starting one takes the analyst role or higher.</p> : <Form />}
        <JobsBefore kind={JobKind.INVESTIGATION} place="why" title="Earlier investigations" none="No investigations yet" />
      </div>
    </>
  );
}
