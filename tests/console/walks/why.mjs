// Why a number moved: begun from the form, followed while it goes, and told with the segment that did it.
import assert from "node:assert/strict";

import { drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await page.goto(`${site}/why`);
  await page.getByLabel("Question", { exact: true }).fill("why did total quantity fall from May to June 2024?");
  await page.getByRole("button", { name: "Investigate" }).click();
  await page.waitForURL(/\/why\/[0-9a-f]{32}$/);
  await page.getByText("South", { exact: false }).first().waitFor();
  await page.locator("a[href*='/proof/']").first().waitFor({ timeout: 120_000 });
  assert.match(await page.locator("main").innerText(), /fell|fall/);
});
