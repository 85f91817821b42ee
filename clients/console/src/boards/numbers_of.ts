// The numbers of an answer's text that a pin can watch, each by its column and its place among those of it.
import type { Answer } from "@gen/assay/common/v1/analysis_pb";

export interface Watchable {
  readonly column: string;
  readonly claim: number;
  readonly text: string;
}

/** In the order of the text; as the gateway counts them. */
export function numbersOf(answer: Answer | undefined): Watchable[] {
  if (!answer) return [];
  const claims = new Map(answer.claims.map((claim) => [claim.claimId, claim]));
  const stands = answer.assertions
    .filter((one) => one.kind === "number" && one.place === "text" && claims.has(one.claimId))
    .sort((a, b) => a.start - b.start)
    .map((one) => claims.get(one.claimId)!);
  const seen = new Map<string, number>();
  return (stands.length > 0 ? stands : answer.claims).slice(0, 100).map((claim) => {
    const place = (seen.get(claim.column) ?? 0) + 1;
    seen.set(claim.column, place);
    return { column: claim.column, claim: place, text: `${claim.text}${claim.unit && ` ${claim.unit}`}` };
  });
}
