// Names and cells that are scripts, markup, marks of direction or very long: they are shown, and nothing runs.
import assert from "node:assert/strict";

import { ask, drop, given, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "number of rows by <img src=x onerror=alert(1)>");
  await ask(page, given.question);
  await page.locator(".words, .note").first().waitFor();
  await page.goto(`${site}/ask?q=${encodeURIComponent("\u202e" + "x".repeat(1900))}`);
  await page.locator(".note").first().waitFor();
  for (const address of ["/look", "/proof", "/boards", "/operate", "/operate?part=refusals", "/operate?part=record", "/why", "/cause"]) {
    await page.goto(site + address);
    await page.getByRole("heading").first().waitFor();
    await page.waitForLoadState("networkidle");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 1, `${address} is ${wide} pixels wider than its window`);
  }
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
});
