// A conversation: a question, a follow-up, a correction, a question that cannot be answered; then it is read again.
import assert from "node:assert/strict";

import { ask, drop, given, say, site, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "total quantity by region");
  await say(page, "only 2024, by product");
  const second = page.locator("article.turn").nth(1);
  await second.getByText("chair", { exact: true }).first().waitFor();
  await say(page, "what is the weather in Paris?");
  assert.ok((await page.locator("article.turn").nth(2).locator(".note").count()) > 0, "a refusal says why");
  const address = page.url();
  assert.match(address, /\/ask\/[0-9a-f]{32}$/);
  const words = await second.locator(".words").innerText();
  await page.goto(site);
  await page.getByRole("link", { name: "total quantity by region" }).first().click();
  assert.equal(page.url(), address);
  await page.locator("article.turn").nth(1).locator(".words").waitFor();
  assert.equal(await page.locator("article.turn").nth(1).locator(".words").innerText(), words);
});
