// How soon the start page is painted and can be used, and how much came for it, from a mesh that is warm.
import { browse, given } from "./walking.mjs";

const { browser, context } = await browse();
const page = await context.newPage();
await page.goto(given.start);
await page.getByRole("heading", { level: 1 }).waitFor();
const found = [];
for (let round = 0; round < 5; round++) {
  const fresh = await browser.newContext({ storageState: await context.storageState() });
  const tab = await fresh.newPage();
  await tab.addInitScript(() => {
    // The page's own clock: Playwright's way of asking takes longer than the page.
    const seen = new MutationObserver(() => {
      if (!document.querySelector("input[role=combobox]")) return;
      globalThis.usable = performance.now();
      seen.disconnect();
    });
    seen.observe(document, { childList: true, subtree: true });
  });
  await tab.goto(new URL(given.start).origin);
  await tab.getByRole("combobox", { name: "Question" }).waitFor();
  found.push(await tab.evaluate(() => {
    const loaded = performance.getEntriesByType("resource");
    return {
      painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
      usable: globalThis.usable,
      bytes: loaded.filter((one) => /\.(js|css)$/.test(one.name)).reduce((sum, one) => sum + one.encodedBodySize, 0),
    };
  }));
  await fresh.close();
}
const middle = (name) => found.map((one) => one[name]).sort((a, b) => a - b)[2];
console.log(JSON.stringify({ painted: middle("painted"), usable: middle("usable"), bytes: middle("bytes") }));
await browser.close();
