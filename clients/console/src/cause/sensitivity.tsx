// How robust the estimate is: refutation tests, and how strong an unobserved confounder would have to be.
import type { SensitivityFinding } from "@gen/assay/common/v1/causal_pb";
import { useMemo } from "preact/hooks";

import { contourOf } from "../charts/effects";
import { DrawnSpec } from "../parts/chart";
import { short } from "../words/amounts";
import { listOf, numberOf, objectOf, textOf } from "./structs";

const NAMES: Readonly<Record<string, string>> = {
  e_value: "E-value",
  omitted_variable: "Omitted variable",
  placebo_treatment: "Placebo treatment",
  random_common_cause: "Random common cause",
  rosenbaum: "Rosenbaum bound",
  subset: "Data subset",
};

export function Sensitivity({ found, outcome }: { found: readonly SensitivityFinding[]; outcome: string }) {
  const newest = useMemo(() => newestOf(found), [found]);
  const contour = useMemo(() => contourIn(newest, outcome), [newest, outcome]);
  if (newest.length === 0) return null;
  return (
    <section class="card" aria-labelledby="fragile">
      <h2 id="fragile">Sensitivity and refutation tests</h2>
      <ul class="tests">
        {newest.map((one) => {
          const passes = objectOf(one.details)["passes"];
          return (
            <li key={one.method}>
              <span class={`chip ${passes === true ? "good" : passes === false ? "bad" : ""}`}>{passes === true ? "passed" : passes === false ? "failed" : "reported"}</span>
              <div><h3>{NAMES[one.method] ?? one.method.replaceAll("_", " ")} <span class="muted number">{short(one.robustnessValue)}</span></h3>
                <p class="small breaks">{one.interpretation}</p></div>
            </li>
          );
        })}
      </ul>
      {contour && <DrawnSpec spec={contour} title="How strong an unobserved confounder would have to be" words="The remaining effect, by the strength of an unobserved confounder; known columns are marked for comparison." />}
    </section>
  );
}

/** Of each test that of the last round. */
function newestOf(found: readonly SensitivityFinding[]): readonly SensitivityFinding[] {
  const byMethod = new Map<string, SensitivityFinding>();
  for (const one of found) byMethod.set(`${one.method} ${textOf(objectOf(one.details)["column"])}`, one);
  return [...byMethod.values()];
}

function contourIn(found: readonly SensitivityFinding[], outcome: string) {
  const details = objectOf(found.find((one) => objectOf(one.details)["contour"] !== undefined)?.details);
  const contour = objectOf(details["contour"]);
  const [treatments, outcomes] = [listOf(contour["treatment"]).map(numberOf), listOf(contour["outcome"]).map(numberOf)];
  const cells = listOf(contour["estimate"]).flatMap((row, outcomeAt) => listOf(row).flatMap((value, treatmentAt) => {
    const [estimate, treatment, at] = [numberOf(value), treatments[treatmentAt], outcomes[outcomeAt]];
    return estimate === null || treatment == null || at == null ? [] : [{ treatment, outcome: at, estimate }];
  }));
  if (cells.length < 4 || treatments.length < 2) return null;
  const known = listOf(details["benchmarks"]).map(objectOf).flatMap((one) => {
    const [treatment, at] = [numberOf(one["treatment"]), numberOf(one["outcome"])];
    return treatment === null || at === null ? [] : [{ column: textOf(one["column"]), treatment, outcome: at }];
  });
  return contourOf(cells, known, (treatments[1] ?? 0.05) - (treatments[0] ?? 0), `remaining effect on ${outcome}`);
}
