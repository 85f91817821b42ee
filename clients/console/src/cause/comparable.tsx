// Whether the groups can be compared: what is adjusted for, balance before and after, overlap.
import type { JsonObject } from "@bufbuild/protobuf";
import { useMemo } from "preact/hooks";

import { type Balance, balanceOf, type Chances, type GroupBin, mirroredOf, overlapOf } from "../charts/effects";
import type { Made } from "../mesh/job_frames";
import { DrawnSpec } from "../parts/chart";
import { listOf, numberOf, objectOf, textOf, textsOf } from "./structs";

interface Props {
  readonly diagnostics: JsonObject | undefined;
  readonly confounders: JsonObject | undefined;
  readonly treatment: string;
  /** How many rows of each group have which chance; none where the groups are doses, or the frame is gone. */
  readonly bins: readonly GroupBin[];
}

export function Comparable({ diagnostics, confounders, treatment, bins }: Props) {
  const balance = useMemo(() => balancesOf(diagnostics), [diagnostics]);
  const overlap = useMemo(() => chancesOf(diagnostics, treatment), [diagnostics, treatment]);
  const love = useMemo(() => (balance.length > 0 ? balanceOf(balance) : null), [balance]);
  const named = useMemo(() => bins.map((one) => ({ ...one, group: `${treatment} = ${one.group}` })), [bins, treatment]);
  const chances = useMemo(() => (named.length > 0 ? mirroredOf(named) : overlap.length > 0 ? overlapOf(overlap) : null), [overlap, named]);
  if (!diagnostics && !confounders) return null;
  return (
    <section class="card" aria-labelledby="comparable">
      <h2 id="comparable">Can the groups be compared?</h2>
      {textOf(diagnostics?.["summary"]) && <p class="breaks"><strong>{sentence(textOf(diagnostics!["summary"]))}</strong></p>}
      {confounders && <Adjusted confounders={confounders} />}
      <div class="two">
        {love && <DrawnSpec spec={love} title="Balance" subtitle="standardised mean differences; within 0.1 counts as balanced" words="Balance: standardised mean difference of each column before and after weighting." />}
        {chances && <DrawnSpec spec={chances} title="Overlap" subtitle={named.length > 0 ? "rows of each group by their chance of being treated: alike where both have rows" : "propensity scores in each group, with the median"} words={`Overlap of propensity scores: ${overlap.map((one) => `${one.group} from ${Math.round(one.least * 100)} % to ${Math.round(one.most * 100)} %`).join("; ")}.`} />}
      </div>
    </section>
  );
}

/** The histogram of chances, as the newest check of overlap has it. */
export function binsOf(made: readonly Made[]): readonly GroupBin[] {
  const rows = made.findLast((one) => one.tool === "causal.overlap")?.rows ?? [];
  return rows.filter((row) => row["section"] === "histogram").flatMap((row) => {
    const [low, high] = String(row["text"]).split(" to ").map(Number);
    const count = Number(row["before"] ?? 0);
    return low === undefined || high === undefined || Number.isNaN(low + high) ? [] : [{ group: String(row["name"]), low, high, count }];
  });
}

const VERDICTS: Readonly<Record<string, string>> = { confounder: "good", precision: "accent", irrelevant: "", instrument: "warn" };

function Adjusted({ confounders }: { confounders: JsonObject }) {
  const adjustment = textsOf(confounders["adjustment"]);
  const excluded = Object.entries(objectOf(confounders["excluded"]));
  const candidates = listOf(confounders["candidates"]).map((one) => objectOf(one));
  return (
    <div class="stack tight">
      <p class="row"><span>Adjusted for</span>{adjustment.length === 0 ? <span class="muted">nothing</span> : adjustment.map((one) => <span class="chip good"><span class="breaks">{one}</span></span>)}</p>
      {excluded.length > 0 && <p class="row"><span>Excluded</span>{excluded.map(([column, why]) => <span class="chip"><span class="breaks">{column}<span class="muted"> · {textOf(why)}</span></span></span>)}</p>}
      {textOf(confounders["assumption"]) && <p class="note warn breaks">{textOf(confounders["assumption"])}</p>}
      <details class="small"><summary>Why</summary>
        <div class="stack tight under">
          <p class="breaks">{textOf(confounders["rule"])}</p>
          <ul class="stack tight">{candidates.map((one) => (
            <li class="row"><strong class="breaks">{textOf(one["column"])}</strong><span class={`chip ${VERDICTS[textOf(one["verdict"])] ?? ""}`}>{textOf(one["verdict"])}</span><span class="muted breaks">{textOf(one["reason"])}</span></li>
          ))}</ul>
        </div>
      </details>
    </div>
  );
}

function balancesOf(diagnostics: JsonObject | undefined): readonly Balance[] {
  return Object.entries(objectOf(diagnostics?.["balance"])).filter(([column]) => column !== "all").flatMap(([column, measured]) => {
    const apart = objectOf(objectOf(measured)["smd"]);
    const [before, after] = [numberOf(apart["before"]), numberOf(apart["after"])];
    return [...(before === null ? [] : [{ column, when: "before" as const, difference: Math.abs(before) }]), ...(after === null ? [] : [{ column, when: "after weighting" as const, difference: Math.abs(after) }])];
  });
}

/** Groups are named by their value of the treatment. */
function chancesOf(diagnostics: JsonObject | undefined, treatment: string): readonly Chances[] {
  return Object.entries(objectOf(diagnostics?.["overlap"])).flatMap(([group, measured]) => {
    const at = (name: string) => numberOf(objectOf(objectOf(measured)[name])["before"]);
    const [least, middle, most] = [at("chance_min"), at("chance_median"), at("chance_max")];
    return least === null || middle === null || most === null ? [] : [{ group: `${treatment} = ${group}`, least, middle, most }];
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
