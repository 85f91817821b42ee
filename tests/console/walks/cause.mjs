// What a promotion does to spending: begun from the form, followed while it goes, concluded, and run again without one edge.
import assert from "node:assert/strict";

import { accessible, drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await page.goto(`${site}/cause`);
  const [treatment, outcome] = [page.getByLabel(/\(treatment\)/), page.getByLabel(/\(outcome\)/)];
  await treatment.selectOption("promotion");
  await outcome.selectOption("spending");
  await page.getByText("I know what came before").click();
  await page.getByLabel("age", { exact: true }).check();
  await page.getByRole("button", { name: "Start study" }).click();
  await page.waitForURL(/\/cause\/[0-9a-f]{32}$/);
  const verdict = page.getByRole("region", { name: "The verdict" });
  await verdict.waitFor({ timeout: 180_000 });
  assert.match(await verdict.innerText(), /promotion/);
  const first = page.url();
  await page.getByRole("heading", { name: "Causal graph" }).waitFor();
  await page.getByRole("heading", { name: "Estimates" }).waitFor();
  await page.getByText("Can the groups be compared?").waitFor();
  await page.locator("figure.chart canvas").first().waitFor();
  await accessible(page, "a study");

  const edge = page.getByRole("button", { name: /^age causes spending/ });
  await edge.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Forbid" }).click();
  await page.getByText("forbidden: age → spending").waitFor();
  await page.getByRole("button", { name: "Run again with these edges" }).click();
  await page.waitForURL((url) => url.href !== first);
  await page.getByText("forbidden: age → spending").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("stopped", { exact: true }).first().waitFor();
});
