// Operating: services and everybody's jobs, what was refused, who may see what, a key, the record, the disk.
import { accessible, ask, drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "number of sales by region");
  await page.goto(`${site}/ask?q=${encodeURIComponent("churn by loyalty")}`);
  await page.getByText("NOTHING_UNDERSTOOD").first().waitFor();

  await page.goto(`${site}/operate`);
  const services = page.getByRole("region", { name: "Services: table" });
  for (const name of ["gateway", "planner", "executor", "memory", "audit"]) {
    await services.getByRole("row", { name: new RegExp(`^${name} serving`) }).waitFor();
  }
  await page.getByText("0 jobs running, 0 waiting of at most").waitFor();
  await page.getByRole("button", { name: "Trace" }).first().click();
  await page.getByText("PlannerService", { exact: false }).first().waitFor();

  await page.getByRole("link", { name: "Refusals" }).click();
  const word = page.getByRole("region", { name: "Unknown words" }).locator("li").filter({ hasText: "loyalty" }).first();
  await word.getByText(/not answered/).first().waitFor();
  await word.locator("summary").click();
  await word.getByRole("link", { name: "churn by loyalty" }).waitFor();
  await accessible(page, "refusals");

  await page.getByRole("link", { name: "Access" }).click();
  await page.getByLabel("Data of the source").selectOption("known-sales");
  await page.getByLabel("email").check();
  await page.getByLabel("Your own patterns").fill("^product$");
  await page.getByRole("button", { name: "Show access" }).click();
  const access = page.getByRole("region", { name: "Access" });
  await access.getByRole("row", { name: "product nothing" }).waitFor();
  await access.getByRole("row", { name: "quantity all of it" }).waitFor();
  await access.getByText("Whoever is a reader reads", { exact: false }).waitFor();
  await accessible(page, "access");

  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByLabel("User", { exact: true }).fill("nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/assay_[0-9a-f]{16}_/).first().waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  const line = page.getByRole("region", { name: "Tokens: table" }).getByRole("row").filter({ hasText: "nightly" });
  await line.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await line.getByText("revoked", { exact: false }).first().waitFor();

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("Naming").fill("nightly");
  await page.getByLabel("Naming").press("Enter");
  const entries = page.getByRole("list", { name: "Entries of the tenant" });
  await entries.getByText("TOKEN_REVOKED · nightly", { exact: false }).waitFor();
  await entries.getByText("TOKEN_CREATED · nightly", { exact: false }).waitFor();
  await accessible(page, "the record");

  await page.getByRole("link", { name: "Storage" }).click();
  await page.getByRole("region", { name: "Whole mesh" }).getByRole("row", { name: /^audit log audit/ }).waitFor();
  await page.getByRole("region", { name: "Next to be deleted" }).getByText("ends: 1 file", { exact: false }).first().waitFor();
  await page.getByRole("region", { name: "Retention: table" }).getByText("ASSAY_GATEWAY_SESSION_HOURS").waitFor();
  await accessible(page, "the disk");
});
