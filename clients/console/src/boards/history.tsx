// The runs of a pin, each with a link to its proof.
import { type Pin, type Run, RunState } from "@gen/assay/gateway/v1/board_service_pb";
import { useEffect, useState } from "preact/hooks";

import { boards } from "../mesh/calls";
import { type Trouble, troubleOf } from "../mesh/errors";
import { InTrouble, Waiting } from "../parts/states";
import { sureness } from "../words/confidence";
import { moment } from "../words/numbers";
import { Spark } from "./spark";
import { dataWords, STATES } from "./words";

export function History({ pin, close }: { pin: Pin; close: () => void }) {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [token, setToken] = useState<string | null>("");
  const [loading, setLoading] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function more(): Promise<void> {
    setLoading(true);
    setTrouble(null);
    try {
      const page = await boards.listRuns({ pinId: pin.pinId, pageToken: token ?? "" });
      setRuns((before) => [...before, ...page.runs]);
      setToken(page.nextPageToken || null);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setLoading(false);
  }

  useEffect(() => void more(), []);
  return (
    <div class="stack">
      <h2 class="breaks">{pin.title}</h2>
      <Spark runs={runs} range={pin.range} />
      {runs.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
          <table class="table">
            <thead><tr><th scope="col">Run</th><th scope="col">State</th><th scope="col" class="right">Number</th><th scope="col">Data</th><th scope="col">Proof</th></tr></thead>
            <tbody>{runs.map((run) => <Row key={run.jobId + String(run.dueAt?.seconds)} run={run} />)}</tbody>
          </table>
        </div>
      )}
      {loading && <Waiting />}
      <InTrouble trouble={trouble} again={() => void more()} />
      <p class="row apart">
        <button type="button" class="button" onClick={close}>Close</button>
        {token && !loading && <button type="button" class="button" onClick={() => void more()}>Load earlier runs</button>}
      </p>
    </div>
  );
}

function Row({ run }: { run: Run }) {
  const answered = run.state === RunState.ANSWERED;
  return (
    <tr>
      <td>{moment(run.dueAt)}</td>
      <td class="breaks">
        {answered ? sureness(run.confidence).word : STATES[run.state]}
        {run.failure && <span class="muted small"> · {run.failure}</span>}
        {run.meaningChanged && <> <span class="chip warn">meaning changed</span></>}
      </td>
      <td class="right number">{run.outOfRange && <span class="chip bad">out of range</span>} {run.numberText}{run.unit && ` ${run.unit}`}</td>
      <td>{answered ? dataWords(run) : ""}</td>
      <td>{run.state !== RunState.DUE && <a href={`/proof/${run.jobId}`}>{run.jobId.slice(0, 8)}</a>}</td>
    </tr>
  );
}
