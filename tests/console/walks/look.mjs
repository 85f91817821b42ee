// Looking first: columns and their distributions, a doubt with its repair and what that changes, the model in step with its YAML.

import { drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await page.goto(`${site}/look`);
  await page.getByRole("heading", { name: "readings" }).waitFor();
  await page.locator("main table svg").nth(1).waitFor(); // distributions are drawn
  await page.getByText(/^\d+ doubts?$/).first().click();
  await page.getByText(/999/).first().waitFor();
  await page.getByText("Semantic model", { exact: true }).first().click();
  await page.getByText("tables:", { exact: false }).first().waitFor();
});
