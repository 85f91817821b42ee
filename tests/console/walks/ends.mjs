// What ends while a page is open: a sign-in, a workspace, a key while a job is watched. The page says so, and goes on where it was.
import assert from "node:assert/strict";

import { ask, browse, drop, given, have, site, walking } from "./walking.mjs";

const box = (page) => page.getByRole("combobox", { name: "Question" });
const words = (page, turn) => page.locator("article.turn").nth(turn).locator(".words");

async function say(page, text) {
  await box(page).fill(text);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}

/** A call of the contract that the page does not make itself. */
function call(page, method, message) {
  return page.evaluate(async ([path, body]) => {
    const answer = await fetch(`/assay.gateway.v1.${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return answer.json();
  }, [method, message]);
}

await walking(async (page, context) => {
  await drop(page, given.file);
  await ask(page, "total quantity by region");
  const thread = page.url();

  // The time of a sign-in is over in the middle of a thread: signing in again leads back, with what was typed.
  await have("end sign-ins");
  await page.evaluate(async () => {
    while ((await fetch("/who", { method: "POST" })).status !== 401) await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await say(page, "by product");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("Your sign-in has expired").waitFor();
  await page.goto(given.start);
  await page.waitForURL(thread);
  await words(page, 0).waitFor();
  assert.equal(await box(page).inputValue(), "by product");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await words(page, 1).waitFor();

  // The time of the workspace is over.
  await have("end workspaces");
  await say(page, "by month");
  await page.getByText("This workspace has expired").waitFor();
  assert.equal(await box(page).inputValue(), "by month");
  await page.getByRole("button", { name: "Start a new workspace" }).click();
  await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
  assert.equal(await box(page).inputValue(), "by month");
  await page.locator("input[type=file]").setInputFiles(given.file);
  await page.getByRole("link", { name: "sales.csv" }).waitFor();
  await say(page, "total quantity by product");
  await words(page, 0).waitFor();

  // Somebody deletes it in another tab.
  const other = await context.newPage();
  await other.goto(site);
  const sessionId = await other.evaluate(() => localStorage.getItem("assay.session"));
  await call(other, "SessionService/DeleteSession", { sessionId });
  await say(page, "by month");
  await page.getByText("This workspace was deleted").waitFor();
  assert.equal(await box(page).inputValue(), "by month");
});

// A key is revoked while a job is watched that would go on for days.
const { browser, context, faults } = await browse();
const page = await context.newPage();
async function signIn(token) {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}
await page.goto(site);
await signIn(given.tokens[0]);
await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
await drop(page, given.file);
const sessionId = await page.evaluate(() => localStorage.getItem("assay.session"));
const { files } = await call(page, "FileService/ListFiles", { sessionId });
const tables = Array.from({ length: 10 }, (_, at) => `sales s${at}`).join(", ");
const analysis = { statement: `SELECT sum(s0.quantity * s9.quantity) AS total FROM ${tables}`, dataSources: [{ fileId: files[0].fileId }] };
const { job } = await call(page, "JobService/CreateJob", { requestId: "0123456789abcdef0123456789abcdef", sessionId, analysis });
await page.goto(`${site}/answer/${job.jobId}`);
await page.getByRole("button", { name: "Stop" }).waitFor();
await have("revoke");
await page.getByRole("heading", { name: "Sign in" }).waitFor();
await page.getByText("Your sign-in has expired").waitFor();
await signIn(given.tokens[1]);
await page.getByRole("button", { name: "Stop" }).click();
await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
assert.equal(new URL(page.url()).pathname, `/answer/${job.jobId}`);
assert.deepEqual(faults, []);
await browser.close();
