// A turn is taken back and brought back; a second tab that knows less is told; and a thread goes on from an answer.
import assert from "node:assert/strict";

import { accessible, ask, drop, given, say, walking } from "./walking.mjs";

const turn = (page, at) => page.locator("article.turn").nth(at);

await walking(async (page, context) => {
  await drop(page, given.file);
  await ask(page, "total quantity by region");
  await say(page, "only North");
  const other = await context.newPage();
  await other.goto(page.url());
  await turn(other, 1).locator(".words").waitFor();

  await turn(page, 1).getByRole("button", { name: "Take back" }).click();
  await turn(page, 1).getByText("taken back", { exact: true }).waitFor();
  await say(page, "by product");
  await turn(page, 2).getByText("changed: as before, but by product instead of by region").waitFor();
  await turn(page, 2).getByText("desk", { exact: true }).first().waitFor();
  assert.doesNotMatch(await turn(page, 2).innerText(), /North/, "it is understood as if that had not been asked");

  // The other tab does not know yet: what is said there is kept, and said again once it knows.
  await other.getByRole("combobox", { name: "Question" }).fill("by month");
  await other.getByRole("button", { name: "Ask", exact: true }).click();
  await other.getByText("CONVERSATION_CHANGED").waitFor();
  assert.equal(await other.getByRole("combobox", { name: "Question" }).inputValue(), "by month");
  await other.getByRole("button", { name: "Reload the conversation" }).click();
  await turn(other, 1).getByText("taken back", { exact: true }).waitFor();
  await turn(other, 2).locator(".words").waitFor();
  assert.equal(await turn(other, 3).count(), 0);

  await page.reload();
  await turn(page, 2).locator(".words").waitFor();
  await accessible(page, "a thread with a turn that was taken back");
  await turn(page, 1).getByRole("button", { name: "Bring back" }).click();
  await turn(page, 1).getByRole("button", { name: "Take back with 1 turn after it" }).click();
  await turn(page, 2).getByText("taken back", { exact: true }).waitFor();
  await page.getByText("Show answer").first().click();
  await turn(page, 1).locator(".words").waitFor();
  assert.equal(await turn(page, 1).getByRole("button", { name: "Ask again" }).count(), 0, "nothing goes on from there");

  // An answer by itself: a change of its reading begins a thread with it.
  const job = (await turn(page, 0).getByRole("link", { name: /proved/ }).getAttribute("href")).split("/").at(-1);
  await page.goto(`${new URL(page.url()).origin}/answer/${job}`);
  await page.getByRole("button", { name: "group by region" }).click();
  await page.locator("dialog[open]").getByLabel("Your correction").fill("no, by product");
  await page.locator("dialog[open]").getByRole("button", { name: "Ask again" }).click();
  await turn(page, 1).getByText("desk", { exact: true }).first().waitFor();
  assert.match(await turn(page, 0).innerText(), /total quantity by region/);
  assert.match(page.url(), /\/ask\/[0-9a-f]{32}$/);
  await turn(page, 0).getByRole("button", { name: "Take back with 1 turn after it" }).waitFor();
});
