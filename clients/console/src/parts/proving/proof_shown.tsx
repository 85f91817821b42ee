// A whole proof: what holds, the answer with its numbers as links, the path of the chosen one, what is taken on trust.
import { useState } from "preact/hooks";

import type { Claim } from "../../proof/recorded";
import { ClaimPath } from "./claim_path";
import { FindingsShown, Trusted, Verdict } from "./findings_shown";
import { ProvenAnswer } from "./proven_answer";
import type { Proof } from "./use_proof";

interface Props {
  readonly proof: Proof;
  readonly history?: boolean;
  /** The claim that an address names. */
  readonly first?: bigint | null;
  readonly chose?: (claim: Claim | null) => void;
}

export function ProofShown({ proof, history = false, first = null, chose = () => undefined }: Props) {
  const [chosen, setChosen] = useState<bigint | null>(first);
  const found = proof.reading?.recorded ?? null;
  const claim = found?.claims.find((one) => one.claimId === chosen) ?? null;
  const choose = (one: Claim | null) => {
    setChosen(one?.claimId ?? null);
    chose(one);
  };
  const lost = proof.done && chosen !== null && found !== null && claim === null;
  return (
    <>
      <Verdict proof={proof} />
      <div class="proving">
        <FindingsShown proof={proof} history={history} />
        <Trusted proof={proof} />
      </div>
      {lost && <p class="note warn" role="status">This answer has no claim {String(chosen)}.</p>}
      {proof.reading && found && <ProvenAnswer reading={proof.reading} chosen={claim} choose={choose} />}
      {claim && <ClaimPath proof={proof} claim={claim} close={() => choose(null)} />}
    </>
  );
}
