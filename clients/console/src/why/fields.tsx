// Fields of the form: periods with pairs to choose from, and columns to split by.
import { type Look, SemanticKind } from "@gen/assay/common/v1/look_pb";

import { pairsOf, type Periods, timesOf } from "./periods";

interface PeriodProps {
  readonly look: Look | null | undefined;
  readonly periods: Periods;
  readonly change: (periods: Periods) => void;
  readonly time: string;
  readonly setTime: (time: string) => void;
}

export function PeriodFields({ look, periods, change, time, setTime }: PeriodProps) {
  const times = timesOf(look);
  const told = times.find((one) => one.name === time) ?? times[0];
  const pairs = told ? pairsOf(told.from, told.to) : [];
  return (
    <div class="stack">
      {pairs.length > 0 && (
        <ul class="row" aria-label="Suggested periods">
          {pairs.map((one) => <li><button type="button" class="chip" onClick={() => change(one.periods)}>{one.words}</button></li>)}
        </ul>
      )}
      <div class="cards">
        <Period name="Comparison period" span={periods.comparison} change={(comparison) => change({ ...periods, comparison })} />
        <Period name="Baseline period" span={periods.baseline} change={(baseline) => change({ ...periods, baseline })} />
      </div>
      {told && <p class="muted small">The data covers {told.from.slice(0, 10)} to {told.to.slice(0, 10)} by <code class="breaks">{told.name}</code>.</p>}
      {times.length > 1 && (
        <label class="field"><span>Time column</span>
          <select value={time} onChange={(event) => setTime(event.currentTarget.value)}>
            <option value="">automatic (shown with the result)</option>
            {[...new Set(times.map((one) => one.name))].map((name) => <option key={name} value={name}>{name}</option>)}
          </select></label>
      )}
    </div>
  );
}

interface SpanProps {
  readonly name: string;
  readonly span: { readonly start: string; readonly end: string };
  readonly change: (span: { start: string; end: string }) => void;
}

function Period({ name, span, change }: SpanProps) {
  return (
    <fieldset class="stack tight">
      <legend class="legend small">{name}</legend>
      <div class="row days">
        <label class="field"><span class="small">first day</span><input type="date" value={span.start} onInput={(event) => change({ ...span, start: event.currentTarget.value })} /></label>
        <label class="field"><span class="small">last day</span><input type="date" value={span.end} min={span.start} onInput={(event) => change({ ...span, end: event.currentTarget.value })} /></label>
      </div>
    </fieldset>
  );
}

interface DimensionProps {
  readonly look: Look | null | undefined;
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

const SPLITS = new Set([SemanticKind.CATEGORY, SemanticKind.FLAG, SemanticKind.NAME]);
const MOST = 40;

export function Dimensions({ look, chosen, change }: DimensionProps) {
  const names = [...new Set((look?.tables ?? []).flatMap((table) => table.columns.filter((one) => SPLITS.has(one.kind)).map((one) => one.name)))];
  if (names.length === 0) return null;
  return (
    <fieldset class="stack tight">
      <legend class="legend">Split by</legend>
      <p class="muted small">{chosen.length === 0 ? "All suitable columns, unless you choose some." : "Only these."}</p>
      <ul class="row">
        {names.slice(0, MOST).map((name) => {
          const on = chosen.includes(name);
          return (
            <li><label class={`choice ${on ? "on" : ""}`}><input type="checkbox" checked={on} onChange={() => change(on ? chosen.filter((one) => one !== name) : [...chosen, name])} /><span class="breaks">{name}</span></label></li>
          );
        })}
      </ul>
      {names.length > MOST && <p class="muted small">and {names.length - MOST} more, used if none is chosen</p>}
    </fieldset>
  );
}
