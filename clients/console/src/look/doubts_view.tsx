// Doubts, the most important first, with their repairs; and what was repaired.
import type { Doubt, Repair } from "@gen/assay/common/v1/data_pb";
import type { Look } from "@gen/assay/common/v1/look_pb";
import { useMemo } from "preact/hooks";

import { Pages, usePaged } from "../parts/paged";
import { Empty } from "../parts/states";
import { count } from "../words/numbers";
import { AS_EVER, type Chosen, type Reading, same } from "./asking";
import { type Difference, differences } from "./differences";
import { optionOf, percent, repairInWords, USES, weightOf } from "./words";

const PAGE = 20;

interface Props {
  readonly look: Look;
  readonly before: Look | null;
  readonly reading: Reading;
  readonly busy: boolean;
  readonly read: (reading: Reading) => void;
  readonly to: (table: string, column?: string) => string;
  readonly keepAt: string;
}

export function DoubtsView(props: Props) {
  const { look, before, reading, busy, read, keepAt } = props;
  const open = look.doubts.filter((one) => !one.repaired);
  const made = look.doubts.filter((one) => one.repaired);
  const paged = usePaged(open, PAGE, [look.doubts.length]);
  const changed = useMemo(() => (before && before !== look ? differences(before, look) : []), [before, look]);
  const asked = reading.raw || reading.chosen.length > 0;
  const anyRepair = asked || look.doubts.some((one) => one.repairs.length > 0);
  return (
    <div class="stack doubts">
      <h2 class="out-of-sight">Doubts</h2>
      {anyRepair && (
        <div class="row apart">
          <p class="muted" role="status">{reading.raw ? "Read as it is in the file: only the repairs you choose are made." : "Certain repairs are made while the data is read."}{reading.chosen.length > 0 && ` You chose ${count(reading.chosen.length, "repair")}.`}</p>
          <div class="row">
            <button type="button" class="button little" aria-pressed={reading.raw} disabled={busy} onClick={() => read({ ...reading, raw: !reading.raw })}>No automatic repairs</button>
            {asked && <button type="button" class="button little" disabled={busy} onClick={() => read(AS_EVER)}>Undo my repairs</button>}
            {reading.chosen.length > 0 && <a class="button little first" href={keepAt}>Save my repairs…</a>}
          </div>
        </div>
      )}
      {changed.length > 0 && <Changed changed={changed} />}
      {look.doubts.length === 0 && <Empty title="No doubts"><p>No sentinel values, repeated headers, mixed date formats or broken keys were found.</p></Empty>}
      <ul class="stack">{paged.shown.map((doubt) => <li><OneDoubt doubt={doubt} {...props} /></li>)}</ul>
      <Pages paged={paged} of="doubts" />
      {made.length > 0 && <h2>Already repaired</h2>}
      <ul class="stack">{made.slice(0, 100).map((doubt) => <li><OneDoubt doubt={doubt} {...props} /></li>)}</ul>
    </div>
  );
}

function OneDoubt({ doubt, look, reading, busy, read, to }: Props & { doubt: Doubt }) {
  const weight = weightOf(doubt);
  const uses = doubt.uses.map((use) => USES[use]).filter(Boolean);
  const place = doubt.column ? `${doubt.table}.${doubt.column}` : doubt.table || doubt.sourceName;
  const [first] = doubt.repairs;
  const isMine = first !== undefined && reading.chosen.some((one) => same(one, chosenOf(doubt, first)));
  return (
    <article class={`card doubt ${doubt.repaired ? "good" : weight.tone}`}>
      <p class="row apart small">
        <a class="breaks" href={to(doubt.table, doubt.column)}>{place}</a>
        <span class={`chip ${doubt.repaired ? "good" : weight.tone}`}>{doubt.repaired ? "repaired" : weight.word}</span>
      </p>
      <h3 class="breaks">{doubt.said}</h3>
      {doubt.changes && <p class="breaks">{doubt.repaired ? "Without the repair" : "Effect"}: {doubt.changes}.</p>}
      <p class="row small muted">
        {doubt.rows > 0n && <span>{count(doubt.rows, "row")}{doubt.share > 0 && `, ${percent(doubt.share)}`}</span>}
        {uses.length > 0 && <span>affects {uses.join(", ")}</span>}
        {doubt.examples.map((text) => <code class="chip breaks">{text}</code>)}
      </p>
      {doubt.repaired && first && <p class="breaks"><strong>Repaired:</strong> {repairInWords(first)}{isMine && ", as you chose"}.</p>}
      <div class="row">
        {(doubt.repaired ? doubt.repairs.slice(1) : doubt.repairs).map((repair) => (
          <button type="button" class="button little" title={optionOf(repair)} disabled={busy} onClick={() => read(withRepair(reading, doubt, repair))}><span class="breaks">{repairInWords(repair)}</span></button>
        ))}
        {doubt.repaired && first && (isMine
          ? <button type="button" class="button little" disabled={busy} onClick={() => read(without(reading, look, doubt))}>Undo</button>
          : <>
              <button type="button" class="button little" disabled={busy} onClick={() => read(withRepair(reading, doubt, first))}>Confirm repair</button>
              <button type="button" class="button little" disabled={busy} onClick={() => read(without(reading, look, doubt))}>Undo repair</button>
            </>)}
        {doubt.repairs.length === 0 && <span class="muted small">This cannot be repaired while reading. Keep it in mind, or fix the source.</span>}
      </div>
    </article>
  );
}

function Changed({ changed }: { changed: readonly Difference[] }) {
  return (
    <section class="card" aria-labelledby="what-changed">
      <h2 id="what-changed">What changed</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="What the repairs changed">
        <table class="table">
          <thead><tr><th scope="col">where</th><th scope="col">what</th><th scope="col">before</th><th scope="col">now</th></tr></thead>
          <tbody>{changed.map((one) => <tr><td class="breaks">{one.of}</td><td>{one.what}</td><td class="breaks muted">{one.before}</td><td class="breaks"><strong>{one.after}</strong></td></tr>)}</tbody>
        </table>
      </div>
    </section>
  );
}

function chosenOf(doubt: Doubt, repair: Repair): Chosen {
  return { source: doubt.sourceName, repair };
}

/** A doubt has one repair at a time. */
function withRepair(reading: Reading, doubt: Doubt, repair: Repair): Reading {
  const others = reading.chosen.filter((one) => !doubt.repairs.some((other) => same(one, chosenOf(doubt, other))));
  return { ...reading, chosen: [...others, chosenOf(doubt, repair)] };
}

/** Without one repair: an automatic one is undone by asking only for the others. */
function without(reading: Reading, look: Look, doubt: Doubt): Reading {
  const mine = reading.chosen.filter((one) => !doubt.repairs.some((other) => same(one, chosenOf(doubt, other))));
  if (mine.length < reading.chosen.length) return { ...reading, chosen: mine };
  const others = look.doubts.filter((one) => one !== doubt && one.repaired && one.repairs[0]).map((one) => chosenOf(one, one.repairs[0]!));
  return { raw: true, chosen: [...mine, ...others.filter((one) => !mine.some((other) => same(one, other)))] };
}
