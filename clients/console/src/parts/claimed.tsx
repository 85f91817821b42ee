// Numbers outside an answer's own words, each a link to its cell.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { ComponentChildren } from "preact";

/** What is shown of a cell, as a link where the answer claims that cell. */
export function Claimed({ jobId, claim, children }: { jobId: string; claim: Claim | undefined; children: ComponentChildren }) {
  if (!claim) return <span class="number">{children}</span>;
  return <a class="door" href={`/proof/${jobId}?claim=${claim.claimId}`} title="Where this number comes from">{children}</a>;
}

interface Props {
  readonly jobId: string;
  readonly text: string;
  readonly claims: readonly Claim[];
}

/** Words in which each claim's number is a link, found by how it is printed. */
export function ClaimedWords({ jobId, text, claims }: Props) {
  const doors: { readonly start: number; readonly end: number; readonly claim: Claim }[] = [];
  for (const claim of claims) {
    const start = freeAt(text, claim.text, doors);
    if (start >= 0) doors.push({ start, end: start + claim.text.length, claim });
  }
  doors.sort((a, b) => a.start - b.start);
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { start, end, claim } of doors) {
    parts.push(text.slice(at, start), <Claimed jobId={jobId} claim={claim}>{text.slice(start, end)}</Claimed>);
    at = end;
  }
  parts.push(text.slice(at));
  return <span class="breaks">{parts}</span>;
}

function freeAt(text: string, words: string, doors: readonly { start: number; end: number }[]): number {
  for (let at = text.indexOf(words); at >= 0 && words; at = text.indexOf(words, at + 1)) {
    const alone = !/[\d.,]/.test(text[at - 1] ?? " ") && !/\d/.test(text[at + words.length] ?? " ");
    if (alone && doors.every((door) => at >= door.end || at + words.length <= door.start)) return at;
  }
  return -1;
}
