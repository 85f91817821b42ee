// An answer's words, in which every number links to its cell.
import type { Answer, Claim } from "@gen/assay/common/v1/analysis_pb";

interface Props {
  readonly jobId: string;
  readonly answer: Answer;
  readonly open: (claim: Claim) => void;
}

export function WordsWithClaims({ jobId, answer, open }: Props) {
  const claims = new Map(answer.claims.map((claim) => [claim.claimId, claim]));
  const letters = Array.from(answer.text); // places count code points
  const doors = answer.assertions
    .filter((one) => one.kind === "number" && one.place === "text" && claims.has(one.claimId))
    .sort((a, b) => a.start - b.start);
  const parts = [];
  let at = 0;
  for (const door of doors) {
    if (door.start < at) continue; // inside the one before
    parts.push(letters.slice(at, door.start).join(""));
    const claim = claims.get(door.claimId)!;
    parts.push(
      <a href={`/proof/${jobId}?claim=${claim.claimId}`} title="Where this number comes from"
        onClick={(event) => { event.preventDefault(); event.stopPropagation(); open(claim); }}>{letters.slice(door.start, door.end).join("")}</a>,
    );
    at = door.end;
  }
  parts.push(letters.slice(at).join(""));
  return <p class="words">{parts}</p>;
}
