// A board: an answer is pinned and refreshed; a reader of the tenant opens it by its address and changes nothing.
import assert from "node:assert/strict";

import { ask, browse, drop, given, site, walking } from "./walking.mjs";

const dialogOf = (page) => page.getByRole("dialog", { name: /^Version/ });
let board = "";
await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "total quantity by region");
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").first().selectOption("new");
  await dialog.getByLabel("Board title").fill("Stock");
  await dialog.getByRole("button", { name: "Pin", exact: true }).click();
  await page.getByRole("link", { name: "Open the board" }).click();
  await page.waitForURL(/\/boards\/[0-9a-f]{32}$/);
  board = page.url();
  await page.getByRole("button", { name: /Refresh/ }).click();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("dialog").locator("a[href*='/proof/']").first().waitFor({ timeout: 120_000 });
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByText("Versions").click();
  await page.getByRole("button", { name: "View version 1" }).click();
  await dialogOf(page).getByText("No pinned answers.").waitFor();
  await dialogOf(page).getByRole("button", { name: "Restore" }).click();
  await page.getByRole("heading", { name: "No pinned answers yet" }).waitFor();
  await page.getByRole("button", { name: "View version 2" }).click();
  await dialogOf(page).getByText("unpinned since").waitFor();
  await dialogOf(page).getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "History" }).waitFor();
});

const { browser, context, faults } = await browse();
const page = await context.newPage();
await page.goto(site);
await page.getByLabel("Token").fill(given.token);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
await page.goto(board);
await page.getByRole("heading", { name: "Stock" }).waitFor();
assert.equal(await page.getByRole("button", { name: /Refresh now/ }).count(), 0, "a reader changes nothing");
assert.deepEqual(faults, []);
await browser.close();
