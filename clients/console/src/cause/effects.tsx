// Estimates by every method: the forest, and the same numbers as a table with links to their cells.
import type { Claim } from "@gen/assay/common/v1/analysis_pb";
import type { TreatmentEffect } from "@gen/assay/common/v1/causal_pb";
import { useMemo } from "preact/hooks";

import { type Estimate, forestOf } from "../charts/effects";
import type { Made } from "../mesh/job_frames";
import { DrawnSpec } from "../parts/chart";
import { Claimed } from "../parts/claimed";
import { short } from "../words/amounts";
import { claimOf } from "../why/frames";
import { numberOf, objectOf, textOf } from "./structs";

interface Props {
  readonly jobId: string;
  readonly effects: readonly TreatmentEffect[];
  readonly speaks: TreatmentEffect | undefined;
  readonly claims: readonly Claim[];
  readonly made: readonly Made[];
}

export function Effects({ jobId, effects, speaks, claims, made }: Props) {
  const groups = effects.filter((one) => detail(one, "group") !== "");
  const methods = effects.filter((one) => detail(one, "group") === "");
  const outcome = effects[0]?.outcomeVariable ?? "";
  const forest = useMemo(() => forestOf(methods.map((one) => estimateOf(one, speaks, labelOf(one))), outcome), [effects, speaks]);
  const byGroup = useMemo(() => (groups.length > 0 ? forestOf(groups.map((one) => estimateOf(one, speaks, detail(one, "group"))), outcome) : null), [effects, speaks]);
  if (effects.length === 0) return null;
  return (
    <section class="card" aria-labelledby="estimates">
      <h2 id="estimates">Estimates</h2>
      <DrawnSpec spec={forest} title={`The effect on ${outcome}, by method`} subtitle="with 95 % intervals" words={`Forest plot: ${methods.length} estimates of the effect on ${outcome} with their intervals; the table below has them.`} />
      <details>
        <summary>All {effects.length} estimates as a table</summary>
        <div class="scroll under" tabIndex={0} role="region" aria-label="Estimates: table">
          <table class="table">
            <thead><tr><th scope="col">Method</th><th scope="col">Estimand</th><th scope="col" class="right">Estimate</th><th scope="col" class="right">95 % interval</th><th scope="col" class="right">Rows</th><th scope="col">Status</th></tr></thead>
            <tbody>{effects.map((one) => <Line {...{ one, jobId, claims, made }} speaks={one === speaks || same(one, speaks)} />)}</tbody>
          </table>
        </div>
      </details>
      {byGroup && <DrawnSpec spec={byGroup} title={`The effect on ${outcome}, by group`} words={`The effect by group: ${groups.length} groups.`} />}
      {speaks && speaks.assumptionsTested.length > 0 && (
        <details><summary>Assumptions tested</summary>
          <ul class="stack tight under">{speaks.assumptionsTested.map((one) => <li class="small breaks">{one}</li>)}</ul></details>
      )}
    </section>
  );
}

function Line({ one, speaks, jobId, claims, made }: { one: TreatmentEffect; speaks: boolean; jobId: string; claims: readonly Claim[]; made: readonly Made[] }) {
  const digest = made.find((step) => step.taskId === detail(one, "task"))?.digest ?? "";
  const row = numberOf(objectOf(one.details)["row"]) ?? -1;
  const rows = numberOf(objectOf(one.details)["rows"]);
  const cell = (column: string, value: number) => <Claimed jobId={jobId} claim={claimOf(claims, digest, row, column)}>{short(value)}</Claimed>;
  const rejected = detail(one, "status") === "rejected";
  return (
    <tr class={rejected ? "muted" : undefined}>
      <td><span class="breaks">{labelOf(one)}{detail(one, "group") && ` · ${detail(one, "group")}`}</span></td>
      <td>{one.estimand}</td>
      <td class="right">{cell("estimate", one.estimate)}</td>
      <td class="right">{cell("ci_lower", one.ciLower)} to {cell("ci_upper", one.ciUpper)}</td>
      <td class="right">{rows === null ? "" : short(rows)}</td>
      <td>{speaks ? <span class="chip accent">primary estimate</span> : <span class="breaks">{rejected ? `rejected: ${detail(one, "reason") || "no reason given"}` : one.method === "naive" ? "unadjusted" : "alternative"}</span>}</td>
    </tr>
  );
}

function detail(effect: TreatmentEffect, name: string): string {
  return textOf(objectOf(effect.details)[name]);
}

function labelOf(one: TreatmentEffect): string {
  const beside = [detail(one, "variant"), detail(one, "contrast")].filter(Boolean).join(", ");
  return `${NAMES[one.method] ?? one.method} (${one.estimand})${beside && `: ${beside}`}`;
}

const NAMES: Readonly<Record<string, string>> = { naive: "unadjusted comparison", causal_forest: "causal forest", PSM: "matching" };

function same(one: TreatmentEffect, other: TreatmentEffect | undefined): boolean {
  return other !== undefined && one.method === other.method && one.estimand === other.estimand && detail(one, "task") === detail(other, "task") && detail(one, "group") === detail(other, "group") && one.estimate === other.estimate;
}

function estimateOf(one: TreatmentEffect, speaks: TreatmentEffect | undefined, label: string): Estimate {
  const kind = same(one, speaks) ? "primary estimate" : detail(one, "status") === "rejected" ? "rejected" : one.method === "naive" ? "unadjusted" : "alternative";
  return { label, estimate: one.estimate, low: one.ciLower, high: one.ciUpper, kind };
}
