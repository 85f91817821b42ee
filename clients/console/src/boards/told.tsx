// The alerts of a board.
import type { Board } from "@gen/assay/gateway/v1/board_service_pb";

import { moment } from "../words/numbers";
import { ALERTS, DELIVERIES } from "./words";

export function Alerts({ board }: { board: Board }) {
  if (board.alerts.length === 0) return null;
  return (
    <details class="card not-printed">
      <summary><h2 class="inline">Alerts</h2> <span class="muted">{board.alerts.length}</span></summary>
      <ul class="listing">
        {board.alerts.map((one) => (
          <li>
            <span class="breaks">{one.words} <span class="muted small">{ALERTS[one.kind]}</span></span>
            <span class="muted small">
              {one.deliveries.map((sent) => `${sent.channel} ${DELIVERIES[sent.state]}${sent.why ? `: ${sent.why}` : ""} · `)}
              {one.jobId ? <a href={`/proof/${one.jobId}`}>{moment(one.toldAt)}</a> : moment(one.toldAt)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
