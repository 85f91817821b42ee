// Proof: one job of the mesh, or a bundle that is dropped in, checked by this browser.
import { useLocation, useRoute } from "preact-iso";
import { useMemo, useState } from "preact/hooks";

import "../styles/proof.css";
import { jobs } from "../mesh/calls";
import { troubleOf } from "../mesh/errors";
import { checkHistory, forgetCheckpoint } from "../mesh/kept_checkpoint";
import { useLoaded } from "../mesh/loading";
import { proofOfJob } from "../mesh/proving";
import { who } from "../mesh/who";
import { BundleDrop, type Dropped } from "../parts/proving/bundle_drop";
import { DroppedShown } from "../parts/proving/dropped_shown";
import { KeysKnown, NO_KEYS } from "../parts/proving/keys_known";
import { ProofShown } from "../parts/proving/proof_shown";
import { Recompute } from "../parts/proving/recompute";
import { useProof, verdictOf } from "../parts/proving/use_proof";
import { Empty, InTrouble, Waiting } from "../parts/states";
import type { Trust } from "../proof/reading";
import { moment } from "../words/numbers";

export function Proof() {
  const { params } = useRoute();
  const job = params["job"];
  return job ? <OfJob key={job} jobId={job} /> : <OfBundle />;
}

function Checker() {
  return <a class="button not-printed" href="/check.html" download="assay-check.html">Download the checker</a>;
}

function OfJob({ jobId }: { jobId: string }) {
  const { query } = useRoute();
  const { route } = useLocation();
  const [trust, setTrust] = useState<Trust>(NO_KEYS);
  const loaded = useLoaded((signal) => proofOfJob(jobId, signal), [jobId]);
  const bundle = loaded.value?.bundle ?? null;
  const proof = useProof(bundle, trust, checkHistory);
  const first = useMemo(() => (/^\d{1,9}$/.test(query["claim"] ?? "") ? BigInt(query["claim"]!) : null), []);
  const broken = useMemo(() => (proof.broken === null ? null : troubleOf(proof.broken)), [proof.broken]);
  const forget = () => {
    forgetCheckpoint();
    loaded.again();
  };
  return (
    <>
      <header>
        <div><h1>Proof</h1><p class="muted breaks">{loaded.value?.job.understood || `Job ${jobId.slice(0, 8)}`}</p></div>
        <div class="row not-printed"><a class="button" href="/proof">Check a bundle</a><Checker /></div>
      </header>
      {loaded.loading && <Waiting>Loading the proof…</Waiting>}
      <InTrouble trouble={loaded.trouble} again={loaded.again} />
      {loaded.value && !bundle && (
        <Empty title="This job is still running"><p>Entries are still being added to its audit log. The proof can be checked once the job has ended.</p>
          <button type="button" class="button" onClick={loaded.again}>Refresh</button></Empty>
      )}
      {bundle && (
        <>
          <InTrouble trouble={broken} again={loaded.again} />
          <ProofShown proof={proof} history first={first}
            chose={(claim) => route(claim ? `/proof/${jobId}?claim=${claim.claimId}` : `/proof/${jobId}`, true)} />
          {verdictOf(proof, "history") === "wrong" && (
            <div class="note not-printed"><p>Was the mesh set up again at this address? Then the checkpoint this browser kept belongs to another log.</p>
              <p><button type="button" class="button little" onClick={forget}>Forget the kept checkpoint</button></p></div>
          )}
          {who.value?.role !== "reader" && proof.done && <Recompute jobId={jobId} found={proof.reading?.recorded ?? null} />}
          <KeysKnown trust={trust} use={setTrust} />
        </>
      )}
    </>
  );
}

function OfBundle() {
  const [dropped, setDropped] = useState<Dropped | null>(null);
  return (
    <>
      <header>
        <div><h1>Proof</h1><p class="muted breaks">{dropped ? dropped.name : "This browser checks the proof itself, without trusting whoever provided it."}</p></div>
        <div class="row not-printed">{dropped && <button type="button" class="button" onClick={() => setDropped(null)}>Check another bundle</button>}<Checker /></div>
      </header>
      {dropped ? <DroppedShown dropped={dropped} /> : (
        <>
          <BundleDrop take={setDropped} />
          <Recent />
        </>
      )}
    </>
  );
}

function Recent() {
  const recent = useLoaded(async (signal) => (await jobs.listJobs({ pageSize: 12 }, { signal })).jobs, []);
  return (
    <section class="card" aria-labelledby="recent">
      <h2 id="recent">Recent jobs</h2>
      {recent.loading && <Waiting />}
      <InTrouble trouble={recent.trouble} again={recent.again} />
      {recent.value?.length === 0 && <Empty title="No jobs yet"><a href="/">Ask a question</a></Empty>}
      <ul class="listing">
        {recent.value?.map((job) => <li><a href={`/proof/${job.jobId}`}>{job.understood || `Job ${job.jobId.slice(0, 8)}`}</a><span class="muted small">{moment(job.createdAt)}</span></li>)}
      </ul>
    </section>
  );
}
