// What walks share: a browser that is signed in, notes of what goes wrong in its pages, and what a person does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

export const given = JSON.parse(process.env.WALK);
export const site = new URL(given.start).origin;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const WAIT = 60_000;

/** A browser without anybody signed in. */
export async function browse(options = {}) {
  const browser = await chromium.launch({ executablePath: given.chromium, args: ARGUMENTS });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(WAIT);
  const faults = [];
  context.on("page", (page) => {
    page.on("pageerror", (error) => faults.push(`an error in ${page.url()}: ${error.stack}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of (4|5)\d\d|net::ERR/.test(message.text())) faults.push(message.text());
    });
    page.on("dialog", (dialog) => { faults.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on("request", (request) => {
      if (!request.url().startsWith(site) && !/^(data|blob):/.test(request.url())) faults.push(`asked ${request.url()}`);
    });
  });
  return { browser, context, faults };
}

/** One story in a browser that this machine's user has signed in; fails where a page had a fault. */
export async function walking(story, options = {}) {
  const { browser, context, faults } = await browse(options);
  try {
    const page = await context.newPage();
    await page.goto(given.start);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await story(page, context);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

/** Have the test that runs this walk do something, and wait until it is done. */
export async function have(name) {
  console.log(`do: ${name}`);
  const lines = createInterface({ input: process.stdin });
  await new Promise((resolve) => lines.once("line", resolve));
  lines.close();
}

/** Put a file into the workspace, from the start page. */
export async function drop(page, path) {
  await page.goto(site);
  await page.locator("input[type=file]").setInputFiles(path);
  await page.getByRole("link", { name: path.split("/").at(-1), exact: true }).first().waitFor();
}

/** Ask in a new conversation, and wait for what comes of it. */
export async function ask(page, question) {
  await page.goto(`${site}/ask?q=${encodeURIComponent(question)}`);
  await answered(page, 1);
}

/** Say something more in this conversation. */
export async function say(page, words) {
  const before = await page.locator("article.turn").count();
  await page.getByRole("combobox", { name: "Question" }).fill(words);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await answered(page, before + 1);
}

async function answered(page, turns) {
  await page.locator(`article.turn:nth-of-type(${turns})[aria-busy="false"]`).waitFor();
  await page.locator(`article.turn:nth-of-type(${turns})`).locator(".words, .note").first().waitFor();
}

/** No violation of WCAG 2.2 AA that axe knows of, and nothing wider than the page. */
export async function accessible(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  assert.deepEqual(
    violations.map((one) => `${where}: ${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" | ").slice(0, 400)}`), [], where);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 1, `${where}: ${wide} pixels wider than the window`);
}
