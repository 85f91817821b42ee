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
        <p class="muted">Every segment of the data is searched, and held against what the same search finds where there is no cause.</p></div></header>
      <div class="form-beside">
        {who.value?.role === "reader" ? <p class="note">You are signed in as a reader: you may look at what was found, and an analyst can begin an investigation.</p> : <Form />}
        <JobsBefore kind={JobKind.INVESTIGATION} place="why" title="Investigations of before" none="Nothing was investigated yet" />
      </div>
    </>
  );
}
