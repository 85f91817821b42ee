// Cause: a causal study, from the question to the verdict.
import { JobKind } from "@gen/assay/common/v1/job_pb";
import { useRoute } from "preact-iso";

import "../styles/why.css";
import "../styles/cause.css";
import { Form } from "../cause/form";
import { Study } from "../cause/study";
import { who } from "../mesh/who";
import { JobsBefore } from "../parts/jobs_before";

export function Cause() {
  const { params } = useRoute();
  const jobId = params["job"] ?? "";
  if (jobId) return <Study key={jobId} jobId={jobId} />;
  return (
    <>
      <header><div><h1>What causes what?</h1>
        <p class="muted">An effect estimated by several methods, refutation tests, and a debate. It is concluded only if the critique approves.</p></div></header>
      <div class="form-beside">
        {who.value?.role === "reader" ? <p class="note">You are signed in as a reader: you can view studies. Starting one takes the analyst role or higher.</p> : <Form />}
        <JobsBefore kind={JobKind.CAUSAL} place="cause" title="Earlier studies" none="No studies yet" />
      </div>
    </>
  );
}
