// A whole answer: how sure it is, its words, chart, table, what matters for reading it, and its statement.
import type { Table } from "apache-arrow";
import { CaveatKind, type Claim, EmptyReason } from "@gen/assay/common/v1/analysis_pb";
import { CheckSeverity } from "@gen/assay/common/v1/checks_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";
import { useState } from "preact/hooks";

import { PinButton } from "../boards/pin_button";
import { plotOf } from "../charts/asked";
import { LONGEST_LABEL, type PlotArguments } from "../charts/spec";
import { readFrame } from "../mesh/frames";
import { useLoaded } from "../mesh/loading";
import { sureness } from "../words/confidence";
import { count } from "../words/numbers";
import { Chart } from "./chart";
import { ClaimShown } from "./claim_shown";
import { FrameTable } from "./frame_table";
import { OtherReadings } from "./other_readings";
import { Picked } from "./picked";
import { Reading } from "./reading";
import { InTrouble, Waiting } from "./states";
import { Statements } from "./statements";
import { WordsWithClaims } from "./words_with_claims";

interface Props {
  readonly job: Job;
  readonly say: ((words: string) => void) | null;
}

export function Answered({ job, say }: Props) {
  const [claim, setClaim] = useState<Claim | null>(null);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const answer = job.result.value;
  const frame = answer?.display?.digest ? answer.display : answer?.table;
  const rows = useLoaded<Table | null>(
    async (signal) => (frame?.digest ? readFrame(job.jobId, frame.digest, signal) : null),
    [job.jobId, frame?.digest],
  );
  const drawn = useLoaded<Table | null>(
    async (signal) => (answer?.table?.digest ? readFrame(job.jobId, answer.table.digest, signal) : null),
    [job.jobId, answer?.table?.digest],
  );
  if (!answer) return null;
  const sure = sureness(answer.confidence);
  const asked = plotOf(job);
  const proposal = job.plan?.proposal;
  const doubts = (proposal?.findings ?? []).filter((one) => one.severity !== CheckSeverity.NOTE);
  // How sure the reading is, and which, stands above already.
  const caveats = answer.caveats.filter((_, at) => answer.caveatKinds[at] !== CaveatKind.READING);
  return (
    <div class="answer">
      <Reading understood={job.understood} proposal={proposal} say={say} />
      {(doubts.length > 0 || sure.tone !== "good") && (
        <div class="note warn">
          <p><strong>{sure.word}</strong>: {sure.means}.</p>
          {doubts.map((one) => <p class="breaks">{one.said}{one.mend && ` ${one.mend}`}</p>)}
        </div>
      )}
      <WordsWithClaims jobId={job.jobId} answer={answer} open={setClaim} />
      <p class="row">
        <span class={`chip ${sure.tone}`} title={sure.means}>{sure.word}</span>
        <a class="chip" href={`/proof/${job.jobId}`}>{count(answer.claims.length, "number")} proved</a>
        {job.work.case === "investigation" && <a class="chip accent" href={`/why/${job.jobId}`}>full investigation</a>}
        {job.work.case === "causal" && <a class="chip accent" href={`/cause/${job.jobId}`}>full study</a>}
        <span class="chip muted">by {answer.reasoner || "rules"}</span>
        {answer.emptyReason !== EmptyReason.UNSPECIFIED && <span class="chip warn">{EMPTY[answer.emptyReason]}</span>}
        <PinButton job={job} />
      </p>
      {rows.loading && frame?.digest && <Waiting>Loading {count(frame.rows, "row")}…</Waiting>}
      <InTrouble trouble={rows.trouble} again={rows.again} />
      {rows.value && (
        <div class={rows.value.numCols > SIDE_BY_SIDE ? "shown under" : "shown"}>
          {asked && drawn.value && <Chart table={drawn.value} asked={asked} formats={answer.formats} picked={(values) => setPicked(namesIn(values, asked))} />}
          <div class="stack tight">
            <FrameTable table={rows.value} formats={answer.formats} name={job.understood || "answer"}
              chosen={claim && claim.frameDigest === frame?.digest ? { row: Number(claim.row), column: claim.column } : null} />
            <p class="muted small">{count(rows.value.numRows, "row")}</p>
          </div>
        </div>
      )}
      {caveats.length > 0 && <ul class="note">{caveats.map((one) => <li class="breaks">{one}</li>)}</ul>}
      <OtherReadings job={job} say={say} />
      <Statements job={job} />
      {say && <Picked names={picked} say={say} close={() => setPicked([])} />}
      <ClaimShown jobId={job.jobId} claim={claim} close={() => setClaim(null)} />
    </div>
  );
}

/** Tables of more columns stand below the chart. */
const SIDE_BY_SIDE = 4;

const EMPTY: Record<number, string> = {
  [EmptyReason.NO_ROWS]: "no rows match",
  [EmptyReason.NOT_PERMITTED]: "not permitted",
  [EmptyReason.TIMED_OUT]: "timed out",
  [EmptyReason.NOT_ASKED]: "not asked for",
};

/** The names among a clicked point's values: what can be filtered by. */
function namesIn(values: Readonly<Record<string, unknown>>, asked: PlotArguments): string[] {
  const columns = [asked.x_col, asked.series_col ?? asked.split_col ?? ""];
  return columns.map((column) => values[column]).filter((value): value is string => typeof value === "string" && value.length <= LONGEST_LABEL);
}
