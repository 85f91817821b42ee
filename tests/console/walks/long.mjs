// Texts of 100,000 characters wherever there are texts: cells, a name, a semantic model and a question. Nothing runs.
import assert from "node:assert/strict";

import { accessible, ask, drop, given, site, walking } from "./walking.mjs";

const CHARACTERS = 100_000;

await walking(async (page) => {
  await drop(page, given.file);
  await page.goto(`${site}/look`);
  await page.getByText("called by its first 200").waitFor();
  await accessible(page, "a look at long texts");
  await model(page);
  await ask(page, "list id, note where kind is k1");
  const cells = page.locator("table.frame .of-text");
  await cells.first().click();
  const whole = page.locator("dialog[open] pre");
  assert.equal((await whole.textContent()).length, CHARACTERS);
  await page.keyboard.press("Escape");
  await whole.waitFor({ state: "detached" });
  await accessible(page, "an answer with long texts");
  await ask(page, "number of rows by note");
  await page.locator(".chart canvas").waitFor();
  await question(page);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
}, { viewport: { width: 400, height: 800 } });

/** A semantic model of markup is pasted: what is wrong with it is told with its lines, and it is text. */
async function model(page) {
  await page.getByText("Semantic model", { exact: true }).first().click();
  await page.getByText("The model fits the data.").waitFor();
  const markup = "<img src=x onerror=globalThis.ran=5> \u202e";
  const columns = Array.from({ length: 2000 }, (_, n) => `      "<b>${n}</b>": {unit: "\u202e"}\n`).join("");
  const text = `tables:\n  long:\n    description: '${markup.repeat(1000)}'\n    columns:\n${columns}`;
  assert.ok(text.length > 0.9 * CHARACTERS);
  await page.locator(".cm-content").evaluate((editor, pasted) => {
    editor.ownerDocument.getSelection().selectAllChildren(editor);
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  await page.getByText("this is longer than 1,000 characters").waitFor();
  await accessible(page, "a long semantic model");
}

/** What is too long is told, and stays in the box until it is short enough. */
async function question(page) {
  await page.goto(`${site}/ask`);
  const box = page.getByRole("combobox", { name: "Question" });
  await box.fill("<script>globalThis.ran=4</script>".repeat(3100).slice(0, CHARACTERS));
  await page.getByText("This has 100,000 characters; a question can have at most 2,000").waitFor();
  await box.press("Enter");
  assert.equal((await box.inputValue()).length, CHARACTERS, "nothing of it is lost");
  assert.equal(await page.locator("article.turn").count(), 0);
  await accessible(page, "a question that is too long");
  await box.fill("number of rows by kind");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.locator('article.turn[aria-busy="false"] .words').waitFor();
}
