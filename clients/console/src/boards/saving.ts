// A board as one HTML file that needs nothing else and runs nothing: numbers, words, and charts as pictures.
import { AlertKind, type Board, type Pin } from "@gen/assay/gateway/v1/board_service_pb";
import type { DataType, Table } from "apache-arrow";

import { plotOf } from "../charts/asked";
import { chartOf, type Formats, smallOf } from "../charts/spec";
import { cell, isNumber } from "../words/cells";
import { sureness } from "../words/confidence";
import { count, moment } from "../words/numbers";
import { type Answer, loadAnswer } from "./loading";
import { lineOf } from "./spark";
import { ALERTS, dataWords, rangeWords, scheduleWords } from "./words";

const MOST_ROWS = 30;
const COLOURS = { text: "#5f5b53", line: "#dedad2" };

export async function saveBoard(board: Board): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([await htmlOf(board)], { type: "text/html" }));
  link.download = `${board.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "board"}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function htmlOf(board: Board): Promise<string> {
  const pins = await Promise.all(board.pins.map(pinned));
  const now = new Date();
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(board.title)}</title><style>${STYLE}</style></head><body>
<header><h1>${escaped(board.title)}</h1>
<p class="muted">${escaped(scheduleWords(board.schedule))} · saved ${escaped(now.toISOString().slice(0, 16).replace("T", " "))} UTC · version ${board.version}</p></header>
<main>${pins.join("\n")}</main>
<footer class="muted"><p>Each answer names its job: <code>assay verify JOB</code> checks its proof. The board itself: <a href="${escaped(`${location.origin}/boards/${board.boardId}`)}">${escaped(`${location.origin}/boards/${board.boardId}`)}</a></p></footer>
</body></html>
`;
}

async function pinned(pin: Pin): Promise<string> {
  const run = pin.answer;
  const answer = run ? await loadAnswer(run.jobId) : null;
  const chips = [
    ...(run ? [`<span class="chip ${sureness(run.confidence).tone}">${sureness(run.confidence).word}</span>`] : []),
    ...pin.alerting.map((kind) => `<span class="chip ${kind === AlertKind.MEANING_CHANGED ? "warn" : "bad"}">${escaped(ALERTS[kind])}</span>`),
  ];
  const number = run?.numberText ? `<p class="large">${escaped(`${run.numberText} ${run.unit}`.trim())}</p>` : "";
  const range = pin.range ? `<p class="muted">${escaped(rangeWords(pin.range.low, pin.range.high))}</p>` : "";
  const paused = pin.pause ? `<p class="note">Paused: ${escaped(pin.pause.words)}</p>` : "";
  const failed = pin.runs[0]?.failure ? `${paused}<p class="note">No new answer: ${escaped(pin.runs[0].failure)}</p>` : paused;
  const shown = run ? `${number}${range}<p>${escaped(run.headline)}</p>${spark(pin)}${answer ? await drawn(answer) : ""}` : "<p>No answer yet.</p>";
  const change = pin.meaningChange;
  const meant = change ? `<details><summary>Meaning changed</summary><p class="muted">before: ${escaped(change.before?.understood ?? "")}</p><pre>${escaped(change.before?.statement ?? "")}</pre><p class="muted">now: ${escaped(change.after?.understood ?? "")}</p><pre>${escaped(change.after?.statement ?? "")}</pre></details>` : "";
  const foot = run && `${escaped(dataWords(run))} · last run ${escaped(moment(run.dueAt))} · job <code>${escaped(run.jobId)}</code>`;
  return `<article><h2>${escaped(pin.title)}</h2><p>${chips.join(" ")}</p>${failed}${shown}${meant}<p class="muted">${foot ?? ""}</p></article>`;
}

async function drawn({ job, table, shown }: Answer): Promise<string> {
  const formats: Formats = job.result.value?.formats ?? {};
  const asked = plotOf(job);
  const spec = asked && table ? chartOf(table, asked, formats) : null;
  const rows = shown && (shown.numRows > 1 || shown.numCols > 1) ? tableOf(shown, formats) : "";
  if (!spec) return rows;
  const { svgOf } = await import("../charts/drawing");
  const picture = await svgOf(smallOf(spec), 400, COLOURS);
  const words = `${asked!.y_label ?? asked!.y_col ?? "rows"} by ${asked!.x_label ?? asked!.x_col}`;
  return `<img alt="${escaped(words)}" src="${dataOf(picture)}"><details><summary>Data</summary>${rows}</details>`;
}

function spark(pin: Pin): string {
  const line = lineOf(pin.runs, pin.range);
  if (!line) return "";
  const points = line.points.map((one) => one.map((value) => value.toFixed(1)).join(",")).join(" ");
  return `<svg class="spark" viewBox="0 0 240 44" role="img" aria-label="Last ${line.points.length} numbers"><polyline fill="none" stroke="#1f5f5b" stroke-width="1.500" points="${points}"/></svg>`;
}

function tableOf(table: Table, formats: Formats): string {
  const fields = table.schema.fields.map((field, at) => ({ name: field.name, type: field.type as DataType, values: table.getChildAt(at)! }));
  const side = (type: DataType) => (isNumber(type) ? ' class="right"' : "");
  const head = fields.map(({ name, type }) => `<th${side(type)}>${escaped(name)}</th>`).join("");
  const rows = Array.from({ length: Math.min(table.numRows, MOST_ROWS) }, (_, at) =>
    `<tr>${fields.map(({ name, type, values }) => `<td${side(type)}>${escaped(cell(values.get(at), type, formats[name]))}</td>`).join("")}</tr>`);
  const more = table.numRows > MOST_ROWS ? `<p class="muted">The first ${MOST_ROWS} of ${count(table.numRows, "row")}.</p>` : "";
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>${more}`;
}

/** A picture as an address: what it holds can run nothing there. */
function dataOf(svg: string): string {
  const bytes = new TextEncoder().encode(svg);
  return `data:image/svg+xml;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1d1c19;background:#f7f6f3;margin:0 auto;padding:28px 20px;max-width:1180px}
h1{margin:0;font-size:1.6rem}h2{margin:0;font-size:1.1rem}p{margin:0}a{color:#1f5f5b}code{font-size:.88em;overflow-wrap:anywhere}
header,footer{margin:0 0 20px}main{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));align-items:start;margin-bottom:20px}
article{background:#fff;border:1px solid #dedad2;border-radius:10px;padding:18px 20px;display:grid;gap:10px;min-width:0;overflow-wrap:anywhere;break-inside:avoid}
.muted{color:#5f5b53;font-size:.87rem}.large{font-size:2rem;font-weight:650;font-variant-numeric:tabular-nums}
pre{margin:6px 0;padding:10px;border-radius:8px;background:#efede8;font-size:.87rem;white-space:pre-wrap}
.chip{padding:2px 10px;border-radius:99px;font-size:.87rem;background:#efede8}.good{background:#e3f1e6;color:#23663a}.warn{background:#fbf0d9;color:#7d4e00}.bad,.note{background:#fbe7e4;color:#a02a20}
.note{padding:8px 12px;border-radius:8px}img{max-width:100%;height:auto}.spark{width:240px;height:44px}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}th,td{text-align:start;padding:5px 8px;border-bottom:1px solid #dedad2}.right{text-align:end}
@media print{body{background:#fff;padding:0}}`;
