// Much data: a million rows, ten thousand columns, five hundred categories. Pages stay quick, and tell what they leave out.
import assert from "node:assert/strict";

import { accessible, ask, drop, given, site, walking } from "./walking.mjs";

/** A page that stands still for longer is felt to be broken; the machine may be at other work as well. */
const LONGEST_MILLISECONDS = 2000;
/** How long a busy machine may take to read so much. */
const READ_MILLISECONDS = 180_000;

async function watched(context) {
  await context.addInitScript(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
    }).observe({ type: "longtask", buffered: true });
  });
}

async function quick(page, where) {
  const longest = Math.round(await page.evaluate(() => globalThis.longest));
  console.log(`${where}: the longest task took ${longest} ms`);
  assert.ok(longest < LONGEST_MILLISECONDS, `${where}: the page stood still for ${longest} ms`);
}

await walking(async (page, context) => {
  await watched(context);
  await page.goto(site);
  const upload = page.locator("progress");
  await page.locator("input[type=file]").setInputFiles(given.rows);
  await upload.or(page.getByText("it is read")).first().waitFor();
  await page.getByRole("link", { name: "million.csv", exact: true }).waitFor();
  await quick(page, "an upload of a million rows");
  await page.goto(`${site}/look`);
  await page.getByText("1,000,000", { exact: true }).first().waitFor({ timeout: READ_MILLISECONDS });
  await quick(page, "a look at a million rows");
  await ask(page, "total quantity by region");
  await page.locator(".words").getByText("4,999,601").waitFor();
  await scrolled(page);
  await quick(page, "a table of many rows");
});

/** More rows than a statement may give are refused with the limit; as many as it may give scroll to the last. */
async function scrolled(page) {
  await stated(page, "SELECT sale_id, region, quantity FROM million");
  await page.getByText("more than 200,000 rows").waitFor();
  await page.goBack();
  await stated(page, "SELECT sale_id, region, quantity FROM million WHERE sale_id <= 200000 ORDER BY sale_id");
  await page.getByRole("columnheader", { name: "sale_id" }).waitFor();
  const table = page.locator("table.frame");
  assert.equal(await table.getAttribute("aria-rowcount"), "200001");
  await page.getByRole("region", { name: /: table$/ }).evaluate((one) => { one.scrollTop = one.scrollHeight; });
  await table.getByText("200,000", { exact: true }).waitFor();
  assert.ok(await table.locator("tbody tr").count() < 100, "rows that are not seen are not made");
}

/** Run a statement in the place of the one of the answer. */
async function stated(page, statement) {
  await page.getByText("How it was computed").click();
  await page.getByRole("button", { name: "Edit and run" }).first().click();
  await page.getByLabel(/^SQL statement/).first().fill(statement);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(/\/answer\//);
}

await walking(async (page, context) => {
  await watched(context);
  await drop(page, given.columns);
  await page.goto(`${site}/look`);
  await page.getByText("1 to 25 of 10,000 columns").first().waitFor({ timeout: READ_MILLISECONDS });
  await page.getByRole("searchbox", { name: /Find a column/ }).fill("m_0777");
  await page.getByText("m_07770", { exact: true }).waitFor();
  assert.equal(await page.locator("table.columns tbody tr").count(), 10);
  await accessible(page, "a look at 10,000 columns");
  await quick(page, "a look at 10,000 columns");
});

await walking(async (page, context) => {
  await watched(context);
  await drop(page, given.categories);
  await ask(page, "total quantity by shop");
  await page.locator(".chart canvas").waitFor();
  await page.getByText("The 30 largest of 500 values").waitFor();
  assert.equal(await page.locator("table.frame").getAttribute("aria-rowcount"), "501");
  await page.getByText("Shop number 007").first().waitFor();
  await quick(page, "a chart of five hundred");
});
