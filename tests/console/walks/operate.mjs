// Operating: a job's trace is opened, a key is made, shown once, and revoked.
import { ask, drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "number of sales by region");
  await page.goto(`${site}/operate`);
  await page.getByRole("button", { name: "Trace" }).first().click();
  await page.getByText("PlannerService", { exact: false }).first().waitFor();
  await page.getByRole("tab", { name: "Keys" }).or(page.getByRole("link", { name: "Keys" })).first().click();
  await page.getByLabel("Who calls with it").fill("nightly");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByText(/assay_[0-9a-f]{16}_/).first().waitFor();
  await page.getByRole("button", { name: "I have it" }).click();
  const line = page.getByRole("row").filter({ hasText: "nightly" });
  await line.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await line.getByText("revoked", { exact: false }).first().waitFor();
});
