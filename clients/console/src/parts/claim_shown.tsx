// Where one number of an answer comes from: its cell, its frame, the call that made it, and the way to the proof.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import { useEffect, useRef } from "preact/hooks";

import { told } from "../words/numbers";

export function ClaimShown({ jobId, claim, close }: { jobId: string; claim: Claim | null; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (claim) dialog.current?.showModal();
  }, [claim]);
  return (
    <dialog ref={dialog} onClose={close} aria-label="Where this number comes from">
      {claim && (
        <div class="stack">
          <h2 class="breaks">{claim.text}{claim.unit && ` ${claim.unit}`}</h2>
          <dl class="stack tight">
            <dt class="muted small">exact value</dt><dd class="breaks number">{claim.value}</dd>
            <dt class="muted small">cell</dt><dd class="breaks">row {told(claim.row + 1n)} of column <code>{claim.column}</code></dd>
            <dt class="muted small">frame (SHA-256)</dt><dd><code class="breaks">{claim.frameDigest}</code></dd>
          </dl>
          <p class="row apart">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>Close</button>
            <a class="button first" href={`/proof/${jobId}?claim=${claim.claimId}`}>Open the proof</a>
          </p>
        </div>
      )}
    </dialog>
  );
}
