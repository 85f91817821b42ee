// What goes away while a page is open: the connection, the mesh, the sign-in; what another tenant's is, is not there.
import assert from "node:assert/strict";

import { ask, browse, drop, given, have, say, site, walking } from "./walking.mjs";

let mine = "";
await walking(async (page, context) => {
  await drop(page, given.file);
  await ask(page, "total quantity by region");
  mine = page.url();

  // A connection that breaks in the middle of a question: it is taken up where it broke.
  await page.getByRole("combobox", { name: "Question" }).fill("by product");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await context.setOffline(true);
  await page.waitForTimeout(700); // the length of the break
  await context.setOffline(false);
  await page.locator("article.turn").nth(1).locator(".words").waitFor();

  // A mesh that starts again: the browser stays signed in, and goes on.
  await have("restart");
  await say(page, "by month");
  await page.locator("article.turn").nth(2).locator(".words").waitFor();

  // Another tab signs out: this one says so at its next call.
  const other = await context.newPage();
  await other.goto(site);
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByRole("combobox", { name: "Question" }).fill("by region");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("Your sign-in has expired").waitFor();
});

// Somebody else, with a token: this conversation does not exist for them; a revoked token ends it.
const { browser, context, faults } = await browse();
const page = await context.newPage();
await page.goto(site);
await page.getByLabel("Token").fill("assay_nobody");
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByText("TOKEN_REFUSED").waitFor();
await page.getByLabel("Token").fill(given.token);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
assert.equal(await page.getByRole("link", { name: "Operate" }).count(), 0, "an analyst operates nothing");
await page.goto(mine);
await page.getByText("NOT_FOUND").first().waitFor();
await have("revoke");
await page.goto(site);
await page.getByRole("heading", { name: "Sign in" }).waitFor();
assert.deepEqual(faults, []);
await browser.close();
