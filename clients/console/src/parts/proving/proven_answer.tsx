// The answer as the chain records it; every number in it opens where it comes from.
import type { Reading } from "../../proof/reading";
import type { Claim } from "../../proof/recorded";
import { count } from "../../words/numbers";
import { asked, piecesOf } from "./said";

interface Props {
  readonly reading: Reading;
  readonly chosen: Claim | null;
  readonly choose: (claim: Claim) => void;
}

export function ProvenAnswer({ reading, chosen, choose }: Props) {
  const found = reading.recorded;
  if (!found) return null;
  const pieces = piecesOf(found);
  const question = asked(found);
  return (
    <section class="card" aria-labelledby="said">
      <div class="row apart"><h2 id="said">The answer, as recorded</h2>
        <span class="muted small">{count(reading.entries.length, "entry", "entries")}, {found.state || "not ended"}</span></div>
      {question && <p class="muted breaks">{question}</p>}
      {pieces.length > 0 ? (
        <p class="proven-words">
          {pieces.map(({ text, claim }) => (claim === null ? text
            : <button type="button" class="door number" aria-pressed={chosen?.claimId === claim.claimId} onClick={() => choose(claim)}>{text}</button>))}
        </p>
      ) : <p class="muted">{found.answered ? "The answer has no text." : "The job ended without an answer."}</p>}
      {found.claims.length > 0 && <Numbers claims={found.claims} chosen={chosen} choose={choose} />}
    </section>
  );
}

const FEW = 12;

function Numbers({ claims, chosen, choose }: { claims: readonly Claim[]; chosen: Claim | null; choose: (claim: Claim) => void }) {
  const list = (
    <ul class="numbers">
      {claims.map((claim) => (
        <li key={String(claim.claimId)}>
          <button type="button" class="chip" aria-pressed={chosen?.claimId === claim.claimId} onClick={() => choose(claim)}>
            <strong class="number breaks">{claim.text}</strong><span class="muted breaks">{claim.column}</span>
          </button>
        </li>
      ))}
    </ul>
  );
  if (claims.length <= FEW) return list;
  return <details><summary>All {count(claims.length, "number")}</summary><div style={{ paddingTop: "10px" }}>{list}</div></details>;
}
