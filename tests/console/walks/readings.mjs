// What else a question could mean stands beside its answer, with numbers; the chart answers the pointer and can be taken along.
import assert from "node:assert/strict";

import { ask, drop, given, walking } from "./walking.mjs";

await walking(async (page) => {
  await drop(page, given.file);
  await ask(page, "number of orders by city");
  const answer = page.locator("article.turn").first();
  const others = answer.getByRole("region", { name: "Other readings" });
  await others.getByText(/\d rows: /).first().waitFor();
  assert.doesNotMatch(await answer.innerText(), /this reading is/, "how it was read is told once");
  await others.getByRole("button", { name: "Run it" }).first().click();
  await others.getByRole("link", { name: "Open it" }).waitFor();
  assert.match(await others.locator(".gives").nth(1).innerText(), /orders/);

  const canvas = answer.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  await canvas.hover({ position: { x: 150, y: 260 } });
  await page.locator(".tip").getByText(/number of orders: \d+/).waitFor();

  await answer.getByText("Copy or save").click();
  await answer.getByRole("button", { name: "Copy picture" }).click();
  await answer.getByText("The picture is on the clipboard.").waitFor();
  const [types, width] = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return [item.types, (await createImageBitmap(await item.getType("image/png"))).width];
  });
  assert.deepEqual(types, ["image/png"]);
  assert.ok(width > 600, "it is as sharp as a document wants it");
  await answer.getByRole("button", { name: "Copy SVG" }).click();
  await answer.getByText("The SVG is on the clipboard.").waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^<svg/);
}, { permissions: ["clipboard-read", "clipboard-write"] });

// Where the browser does not let a page write there, that is told, and saving is offered.
await walking(async (page) => {
  await page.addInitScript(() => {
    navigator.clipboard.write = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await drop(page, given.file);
  await ask(page, "number of orders by ship city");
  await page.getByText("Copy or save").first().click();
  await page.getByRole("button", { name: "Copy picture" }).click();
  await page.getByText("This browser does not let the page write to the clipboard.").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save it instead" }).click();
  assert.equal((await saved).suggestedFilename(), "chart.png");
});
